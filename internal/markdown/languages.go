package markdown

// languages are those whose code is highlighted.
var languages = [...]language{
	{
		names:    " go golang ",
		keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
		types: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr " +
			"true false nil iota append cap clear close copy delete len make max min new panic print println recover",
		quotes: []quote{slashes, slashStar, double, single, rawBacks},
	},
	{
		names: " python py python3 pyi ",
		keywords: "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match case nonlocal not or pass raise return " +
			"try while with yield",
		types:  "True False None self cls int float str bytes bool list dict set tuple object type print len range super isinstance",
		quotes: []quote{hash, triple, triples, double, single},
		flags:  decorators,
	},
	{
		names: " javascript js jsx mjs cjs typescript ts tsx mts node ",
		keywords: "abstract as async await break case catch class const continue declare debugger default delete do else enum export extends finally for from function get if implements " +
			"import in infer instanceof interface is keyof let namespace new of private protected public readonly return satisfies set static super switch this throw try type typeof var " +
			"void while with yield",
		types:   "true false null undefined NaN Infinity string number boolean object symbol bigint any unknown never Array Map Set Promise Object String Number Boolean console",
		letters: "$",
		quotes:  []quote{slashes, slashStar, double, single, backs},
		flags:   decorators,
	},
	{
		names: " rust rs ",
		keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop macro_rules match mod move mut pub ref return static struct super trait type " +
			"union unsafe use where while yield",
		types: "true false self Self bool char str String i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 Option Some None Result Ok Err Vec Box Rc Arc HashMap",
		quotes: []quote{slashes, {open: "/*", close: "*/", role: Comment, lines: true, nests: true},
			{open: `r#"`, close: `"#`, role: String, lines: true}, {open: `r"`, close: `"`, role: String, lines: true}, doubles,
			{open: "'", close: "'", role: String, escape: true, where: aroundRune}, {open: "#[", close: "]", role: Meta}, {open: "#![", close: "]", role: Meta}},
	},
	{
		names: " c h cpp c++ cc cxx hpp hxx objc objective-c arduino ",
		keywords: "alignas alignof asm auto break case catch class concept const consteval constexpr const_cast continue co_await co_return co_yield decltype default delete do " +
			"dynamic_cast else enum explicit export extern final for friend goto if inline mutable namespace new noexcept operator override private protected public register " +
			"reinterpret_cast requires restrict return sizeof static static_assert static_cast struct switch template this throw try typedef typeid typename union using virtual " +
			"volatile while",
		types: "bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t " +
			"uint32_t uint64_t intptr_t uintptr_t FILE std string vector map true false nullptr NULL",
		quotes: []quote{slashes, slashStar, {open: `R"(`, close: `)"`, role: String, lines: true}, double, single},
		flags:  directives,
	},
	{
		names: " java kotlin kt kts scala groovy gradle ",
		keywords: "abstract as assert break by case catch class companion const continue data def default do else enum extends final finally for fun goto if implements import in inline " +
			"instanceof interface internal is lateinit match native new object open operator out override package permits private protected public record return sealed static strictfp " +
			"super suspend switch synchronized this throw throws trait transient try typealias val var vararg void volatile when where while with yield",
		types:  "boolean byte char double float int long short true false null String Integer Boolean Object List Map Set Any Unit Nothing Int Long Double Float Char Byte Short Array",
		quotes: []quote{slashes, slashStar, triple, double, single},
		flags:  decorators,
	},
	{
		names: " csharp cs c# ",
		keywords: "abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if " +
			"implicit in init interface internal is lock namespace new operator out override params partial private protected public readonly record ref required return sealed set " +
			"sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using value var virtual volatile when where while with yield",
		types:  "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort void true false null Task List Dictionary Console",
		quotes: []quote{slashes, slashStar, triple, {open: `@"`, close: `"`, role: String, lines: true}, double, single},
		flags:  directives,
	},
	{
		names: " swift dart zig ",
		keywords: "actor any as associatedtype async await break case catch class comptime const continue convenience default defer deinit do else enum errdefer export extends extension " +
			"fallthrough fileprivate final fn for func get guard if implements import in init inout internal is late lazy let mixin mutating new nil open operator optional orelse " +
			"override private protocol pub public repeat required rethrows return self set some static struct subscript super switch throw throws try typealias union unowned unreachable " +
			"var weak where while with yield",
		types:  "true false null Self Any Bool Int Double Float String Character Array Dictionary Set Optional Void void bool int double num u8 u16 u32 u64 i8 i16 i32 i64 usize f32 f64 undefined",
		quotes: []quote{slashes, slashStar, triple, double, single},
		flags:  decorators,
	},
	{
		names: " ruby rb erb rake ",
		keywords: "alias and begin break case class def defined? do else elsif end ensure extend for if in include loop module next not or private protected public raise redo require " +
			"require_relative rescue retry return super then undef unless until when while yield attr_accessor attr_reader attr_writer",
		types:   "true false nil self puts print p lambda proc",
		letters: "?@",
		quotes:  []quote{{open: "=begin", close: "=end", role: Comment, lines: true, where: atLineStart}, wordHash, doubles, singles, {open: "`", close: "`", role: String, escape: true}},
		flags:   heredocs,
	},
	{
		names: " php php8 ",
		keywords: "abstract and as break case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global goto if " +
			"implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static " +
			"switch throw trait try unset use var while xor yield",
		types:  "true false null self parent int float string bool array object mixed void never iterable callable php",
		quotes: []quote{slashes, slashStar, {open: "#[", close: "]", role: Meta}, hash, doubles, singles},
		flags:  variables | heredocs | threeArrows,
	},
	{
		names:    " bash sh shell zsh fish ksh ash dash shellscript ",
		keywords: "break case continue do done elif else esac eval exec exit export fi for function if in local readonly return select set shift source then trap unset until while",
		types:    "true false alias awk cat cd chmod cp curl cut docker echo find git go grep head kill ln ls make mkdir mv npm pip printf ps pwd python read rm sed sleep sort ssh sudo tail tar tee test touch tr wc xargs",
		letters:  "-",
		quotes:   []quote{wordHash, {open: "'", close: "'", role: String, lines: true}, doubles},
		flags:    variables | heredocs,
	},
	{
		names: " powershell ps1 pwsh ",
		keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach function hidden if in param process return static switch " +
			"throw trap try until using while",
		types:   "true false null",
		letters: "-",
		quotes:  []quote{{open: "<#", close: "#>", role: Comment, lines: true}, hash, {open: `@"`, close: `"@`, role: String, lines: true}, {open: `"`, close: `"`, role: String}, {open: "'", close: "'", role: String}},
		flags:   variables | caseless,
	},
	{
		names: " sql postgresql postgres mysql sqlite psql plsql tsql ",
		keywords: "add all alter analyze and any as asc autoincrement begin between by cascade case cast check collate column commit conflict constraint create cross current database " +
			"declare default deferrable delete desc distinct do drop else end escape except exclude exists explain extension fetch filter first following for foreign from full function " +
			"generated grant group having if ignore ilike immediate in index inner insert instead intersect into is isnull join key language last lateral left like limit lock natural not " +
			"nothing notnull nulls of offset on only or order outer over partition plan pragma preceding primary procedure range recursive references replace restrict returning returns " +
			"revoke right rollback row rows savepoint schema select sequence set table temp temporary then to transaction trigger truncate unbounded union unique update using vacuum values " +
			"view when where window with without",
		types: "bigint bigserial blob boolean bool bytea char character date datetime decimal double false float int integer interval json jsonb money null numeric precision real serial " +
			"smallint text time timestamp timestamptz tinyint true uuid varchar varying avg count max min sum coalesce now",
		quotes: []quote{dashes, slashStar, {open: "'", close: "'", role: String, lines: true}, {open: `"`, close: `"`, role: Name}, {open: "`", close: "`", role: Name}},
		flags:  caseless,
	},
	{
		names:  " json jsonc json5 jsonl ndjson geojson ",
		types:  "true false null",
		quotes: []quote{slashes, slashStar, double, single},
		flags:  keys,
	},
	{
		names:     " yaml yml ",
		types:     "true false null yes no on off True False Null",
		letters:   "-./",
		quotes:    []quote{wordHash, {open: `"`, close: `"`, role: String, escape: true, where: atWordStart}, {open: "'", close: "'", role: String, where: atWordStart}},
		flags:     keys,
		separator: ":",
	},
	{
		names:     " toml ini cfg conf properties dotenv env editorconfig systemd ",
		types:     "true false inf nan",
		letters:   "-",
		quotes:    []quote{hash, {open: ";", role: Comment, where: atLineStart}, triple, triples, double, {open: "'", close: "'", role: String}},
		flags:     sections,
		separator: "=",
	},
	{
		names:    " hcl terraform tf nix protobuf proto graphql gql thrift ",
		keywords: "assert data enum extend extends for fragment if import implements in inherit input interface let locals message module mutation oneof option optional output package provider query rec repeated required reserved resource returns rpc scalar schema service subscription syntax terraform then type union variable with",
		types:    "true false null bool string number int32 int64 uint32 uint64 float double bytes map list set any ID Int String Float Boolean self",
		letters:  "-",
		quotes:   []quote{slashes, slashStar, hash, triple, double},
		flags:    decorators,
	},
	{
		names:    " lua ",
		keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
		types:    "true false nil self",
		quotes:   []quote{{open: "--[[", close: "]]", role: Comment, lines: true}, dashes, {open: "[[", close: "]]", role: String, lines: true}, double, single},
	},
	{
		names:    " css scss sass less ",
		keywords: "important from to and not only",
		types:    "auto none inherit initial unset block flex grid inline solid absolute relative fixed center left right top bottom transparent",
		letters:  "-",
		quotes:   []quote{slashStar, {open: "//", role: Comment, where: atWordStart}, double, single},
		flags:    decorators | keys | variables,
	},
	{
		names:     " make makefile mk ",
		keywords:  "define else endef endif export ifdef ifeq ifndef ifneq include override undefine unexport vpath",
		letters:   "-.",
		quotes:    []quote{wordHash},
		flags:     variables | dollarCalls,
		separator: ":=",
	},
	{
		names:    " dockerfile docker containerfile ",
		keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
		letters:  "-",
		quotes:   []quote{{open: "#", role: Comment, where: atLineStart}, double, {open: "'", close: "'", role: String}},
		flags:    variables,
	},
	{names: " html htm xhtml xml svg vue svelte xsl plist ", lines: (*code).markup},
	{names: " diff patch udiff ", lines: (*code).difference},
	{names: " markdown md mdx ", lines: (*code).markdown},
}

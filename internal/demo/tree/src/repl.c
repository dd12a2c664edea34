#include <stdio.h>
#include <string.h>

int db_put(const char *name, const char *value);
const char *db_get(const char *name);
void db_each(void (*visit)(const char *name, const char *value, void *data), void *data);
int split(char *line, char **words, int max);

static void print(const char *name, const char *value, void *data)
{
    fprintf((FILE *)data, "%s = %s\n", name, value);
}

static int is(const char *word, const char *command, int have, int want)
{
    return have == want && strcmp(word, command) == 0;
}

int repl_run(FILE *in, FILE *out)
{
    char line[512];
    char *words[3];

    while (fputs("> ", out), fflush(out), fgets(line, sizeof line, in)) {
        int n = split(line, words, 3);
        if (n == 0)
            continue;
        if (is(words[0], "put", n, 3)) {
            fputs(db_put(words[1], words[2]) == 0 ? "kept\n" : "the larder is full\n", out);
        } else if (is(words[0], "get", n, 2)) {
            const char *value = db_get(words[1]);
            fprintf(out, "%s\n", value ? value : "no such name");
        } else if (is(words[0], "list", n, 1)) {
            db_each(print, out);
        } else if (is(words[0], "quit", n, 1)) {
            return 0;
        } else {
            fputs("put NAME VALUE, get NAME, list or quit\n", out);
        }
    }
    return 0;
}

package killtest

// older are the calls that newer architectures do without: this one does.
var older []watched

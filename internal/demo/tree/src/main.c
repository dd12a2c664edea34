#include <stdio.h>
#include <string.h>

int db_open(const char *path);
void db_close(void);
int repl_run(FILE *in, FILE *out);

static void usage(FILE *out)
{
    fputs("usage: larder FILE\n"
          "Keeps names and values in FILE, which is made if it is not there.\n",
          out);
}

// TODO: Add error handling
int main(int argc, char **argv)
{
    if (argc != 2) {
        usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    db_open(argv[1]);
    int status = repl_run(stdin, stdout);
    db_close();
    return status;
}

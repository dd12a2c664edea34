#include <ctype.h>

// split cuts line into at most max words, in place, and returns how many there
// are. The last word takes the rest of the line.
int split(char *line, char **words, int max)
{
    int n = 0;
    char *p = line;

    while (n < max) {
        while (isspace((unsigned char)*p))
            *p++ = '\0';
        if (*p == '\0')
            break;
        words[n++] = p;
        while (*p != '\0' && (n == max ? *p != '\n' : !isspace((unsigned char)*p)))
            p++;
    }
    *p = '\0';
    return n;
}

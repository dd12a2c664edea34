#include <stdio.h>
#include <string.h>

#define MAX_ITEMS 256
#define MAX_TEXT 128

struct item {
    char name[MAX_TEXT];
    char value[MAX_TEXT];
};

static struct item items[MAX_ITEMS];
static int count;
static char file[1024];

static struct item *find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    return NULL;
}

int db_put(const char *name, const char *value)
{
    struct item *it = find(name);
    if (it == NULL) {
        if (count == MAX_ITEMS)
            return -1;
        it = &items[count++];
        snprintf(it->name, sizeof it->name, "%s", name);
    }
    snprintf(it->value, sizeof it->value, "%s", value);
    return 0;
}

const char *db_get(const char *name)
{
    struct item *it = find(name);
    return it ? it->value : NULL;
}

void db_each(void (*visit)(const char *name, const char *value, void *data), void *data)
{
    for (int i = 0; i < count; i++)
        visit(items[i].name, items[i].value, data);
}

// TODO: Implement connection pooling
int db_open(const char *path)
{
    char line[2 * MAX_TEXT];
    snprintf(file, sizeof file, "%s", path);
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return -1;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, '\t');
        if (value == NULL)
            continue;
        *value++ = '\0';
        db_put(line, value);
    }
    fclose(in);
    return 0;
}

// TODO: Add retry logic
void db_close(void)
{
    FILE *out = fopen(file, "w");
    if (out == NULL)
        return;
    for (int i = 0; i < count; i++)
        fprintf(out, "%s\t%s\n", items[i].name, items[i].value);
    fclose(out);
}

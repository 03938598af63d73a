#include "notation/picture.h"

#include <stdlib.h>

struct drawing {
    const struct notation_section *section;
    FILE *stream;
    size_t number; /* of the section */
    bool *seen;
};

static void put_token(FILE *stream, const struct notation_token *token)
{
    for (unsigned c = 0; c < token->length; c++)
        fprintf(stream, token->at[c] == '"' || token->at[c] == '\\' ? "\\%c" : "%c", token->at[c]);
}

/* Draws the edges to what comes next behind `node`, by way of what is no access. */
static void draw_edges(struct drawing *drawing, const char *from, size_t node)
{
    const struct notation_node *now = &drawing->section->node[node];
    if (now->leaves)
        fprintf(drawing->stream, "    %s -> s%zu_end;\n", from, drawing->number);
    for (size_t e = 0; e < now->nexts; e++) {
        const size_t next = (size_t)now->next[e];
        if (drawing->seen[next])
            continue;
        drawing->seen[next] = true;
        if (drawing->section->node[next].word != NULL)
            fprintf(drawing->stream, "    %s -> s%zu_%zu;\n", from, drawing->number, next);
        else
            draw_edges(drawing, from, next);
    }
}

static void draw_from(struct drawing *drawing, const char *from, size_t node)
{
    for (size_t n = 0; n < drawing->section->nodes; n++)
        drawing->seen[n] = false;
    draw_edges(drawing, from, node);
}

static void draw_section(struct drawing *drawing)
{
    const struct notation_section *section = drawing->section;
    FILE *stream = drawing->stream;
    char from[48];
    fprintf(stream, "  subgraph cluster_%zu {\n    label=\"", drawing->number);
    put_token(stream, section->name);
    fprintf(stream,
            "\";\n    s%zu_begin [shape=point]; s%zu_end [shape=doublecircle, label=\"\"];\n",
            drawing->number, drawing->number);
    for (size_t n = 0; n < section->nodes; n++) {
        const struct notation_node *node = &section->node[n];
        if (node->word == NULL)
            continue;
        fprintf(stream, "    s%zu_%zu [label=\"", drawing->number, n);
        put_token(stream, node->label);
        fprintf(stream, "\\n");
        put_token(stream, node->word);
        if (node->cell != NULL) {
            fputc(' ', stream);
            put_token(stream, node->cell);
        }
        fprintf(stream, "\\nline %u\"];\n", node->label->line);
    }
    snprintf(from, sizeof from, "s%zu_begin", drawing->number);
    draw_from(drawing, from, 0);
    for (size_t n = 0; n < section->nodes; n++) {
        if (section->node[n].word == NULL)
            continue;
        snprintf(from, sizeof from, "s%zu_%zu", drawing->number, n);
        draw_from(drawing, from, n);
    }
    fprintf(stream, "  }\n");
}

bool notation_draw(const struct notation_file *file, FILE *stream,
                   const struct notation_token **section)
{
    fprintf(stream, "digraph protocol {\n  node [shape=box];\n");
    for (size_t s = 0; s < file->sections; s++) {
        struct drawing drawing = {.section = &file->section[s], .stream = stream, .number = s};
        *section = drawing.section->name;
        if (!drawing.section->has_steps)
            continue;
        if (drawing.section->is_lost)
            return false;
        drawing.seen = calloc(drawing.section->nodes, sizeof *drawing.seen);
        if (drawing.seen == NULL)
            return false;
        draw_section(&drawing);
        free(drawing.seen);
    }
    fprintf(stream, "}\n");
    return true;
}

/* Nets with random weights of about the sizes that training gives. */
#ifndef ND_TESTS_RANDOM_PARAMS_H
#define ND_TESTS_RANDOM_PARAMS_H

#include <math.h>
#include <stdlib.h>

#include "nets/net.h"
#include "random_boards.h"

static float *random_floats(int n, double size)
{
    float *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = (float)(size * random_normal());
    return x;
}

static nd_params random_params(const nd_features *features, int h1, int h2, int outcomes)
{
    nd_params p = {.features = features, .h1 = h1, .h2 = h2, .outcomes = outcomes};
    p.w1 = random_floats(features->units * h1, 0.25);
    p.b1 = random_floats(h1, 0.25);
    p.w2 = random_floats(h1 * h2, 1.0 / sqrt(h1));
    p.b2 = random_floats(h2, 0.25);
    p.w3 = random_floats(h2 * outcomes, 1.0 / sqrt(h2));
    p.b3 = random_floats(outcomes, 0.5);
    return p;
}

static void free_params(nd_params *p)
{
    free(p->w1), free(p->b1), free(p->w2), free(p->b2), free(p->w3), free(p->b3);
}

#endif

/* Portable kernels. Without fused multiply-add in hardware they are slow, yet have the same bits. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
/* The C library of mingw-w64 rounds twice. The product is exact in double; the sum is rounded to
 * odd there, towards what the error of the sum says, so that the last rounding is the only one. */
static inline float fused(float a, float b, float c)
{
    const double product = (double)a * b, sum = product + c, part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (!isfinite(sum) || error == 0.0 || bits & 1) return (float)sum;
    bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}
#define FUSED fused
#else
#define FUSED fmaf
#endif

#define LANES 4
#define TILE_ROWS 4
#define TILE_COLS_ROWS 4
#define KERNELS nd_fit_plain
#define KERNELS_NAME "plain"

typedef float V __attribute__((vector_size(16)));
typedef int lanes __attribute__((vector_size(16)));

static inline V v_zero(void) { return (V){0}; }
static inline V v_fill(float x) { return (V){x, x, x, x}; }

static inline V v_load(const float *p)
{
    V r;
    memcpy(&r, p, sizeof r);
    return r;
}

static inline void v_store(float *p, V x) { memcpy(p, &x, sizeof x); }
static inline V v_add(V a, V b) { return a + b; }
static inline V v_sub(V a, V b) { return a - b; }
static inline V v_mul(V a, V b) { return a * b; }
static inline V v_div(V a, V b) { return a / b; }

static inline V v_sqrt(V a) { return (V){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])}; }

static inline V v_fma(V a, V b, V c)
{
    return (V){FUSED(a[0], b[0], c[0]), FUSED(a[1], b[1], c[1]), FUSED(a[2], b[2], c[2]),
               FUSED(a[3], b[3], c[3])};
}

static inline V v_where_positive(V x, V a) { return (V)((lanes)(x > v_zero()) & (lanes)a); }

static inline V v_max(V a, V b)
{
    const lanes first = (lanes)(a > b);
    return (V)((first & (lanes)a) | (~first & (lanes)b));
}

#include "train/fit_kernels_body.h"

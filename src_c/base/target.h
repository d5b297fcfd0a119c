/* What the kernel files of all rooms tell the compiler.
 *
 * ND_TARGET_BEGIN("avx2") … ND_TARGET_END: functions between them may use those instructions, in gcc
 * and clang alike and without flags, so that one plain command builds the whole core. Include
 * everything from outside before it.
 */
#ifndef ND_BASE_TARGET_H
#define ND_BASE_TARGET_H

#define ND_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define ND_TARGET_BEGIN(names)                                                                     \
    ND_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define ND_TARGET_END ND_PRAGMA(clang attribute pop)
#define UNROLL _Pragma("unroll")
#else
#define ND_TARGET_BEGIN(names) ND_PRAGMA(GCC push_options) ND_PRAGMA(GCC target(names))
#define ND_TARGET_END ND_PRAGMA(GCC pop_options)
#define UNROLL _Pragma("GCC unroll 16") /* the loop that follows */
#endif
#define INLINE static inline __attribute__((always_inline))

#endif

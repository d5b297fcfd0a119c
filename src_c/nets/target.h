/* ND_TARGET_BEGIN("avx2") ... ND_TARGET_END: functions between them may use those instructions. */
#ifndef ND_NETS_TARGET_H
#define ND_NETS_TARGET_H

#define ND_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define ND_TARGET_BEGIN(names)                                                                     \
    ND_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define ND_TARGET_END ND_PRAGMA(clang attribute pop)
#else
#define ND_TARGET_BEGIN(names) ND_PRAGMA(GCC push_options) ND_PRAGMA(GCC target(names))
#define ND_TARGET_END ND_PRAGMA(GCC pop_options)
#endif

#endif

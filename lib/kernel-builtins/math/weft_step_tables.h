// Made by polynomials.py; do not edit. Tables of 16 numbers, which fit a register: arguments of a look-up.
#ifndef WEFT_STEP_TABLES_H
#define WEFT_STEP_TABLES_H

// 2^(j/16)
#define WEFT_EXP2_STEPS_F                                                                                   \
    0x1p+0f, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f, 0x1.3dea64p+0f, 0x1.4bfdaep+0f, \
        0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f, 0x1.ae89fap+0f,     \
        0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f
#define WEFT_EXP2_STEPS_D                                                                           \
    0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, \
        0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0,     \
        0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0, 0x1.ae89f995ad3adp+0,      \
        0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0
// 2^(j/3), repeated (j is 0, 1 or 2), and its product with the constant term of cbrt(x + 1.5)
#define WEFT_CBRT2_STEPS_F                                                                                  \
    0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, \
        0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f,     \
        0x1p+0f
#define WEFT_CBRT3_STEPS_F                                                                            \
    0x1.250bfep+0f, 0x1.713744p+0f, 0x1.d12edp+0f, 0x1.250bfep+0f, 0x1.713744p+0f, 0x1.d12edp+0f,     \
        0x1.250bfep+0f, 0x1.713744p+0f, 0x1.d12edp+0f, 0x1.250bfep+0f, 0x1.713744p+0f, 0x1.d12edp+0f, \
        0x1.250bfep+0f, 0x1.713744p+0f, 0x1.d12edp+0f, 0x1.250bfep+0f
#define WEFT_CBRT2_STEPS_1D                                                                                 \
    0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, 0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, \
        0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, 0x1p+0, 0x1.428a2f98d728bp+0,                   \
        0x1.965fea53d6e3dp+0, 0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, 0x1p+0
#define WEFT_CBRT2_STEPS_2D                                                                     \
    0x0p+0, -0x1.ddc22548ea41ep-56, -0x1.f53e999952f09p-54, 0x0p+0, -0x1.ddc22548ea41ep-56,     \
        -0x1.f53e999952f09p-54, 0x0p+0, -0x1.ddc22548ea41ep-56, -0x1.f53e999952f09p-54, 0x0p+0, \
        -0x1.ddc22548ea41ep-56, -0x1.f53e999952f09p-54, 0x0p+0, -0x1.ddc22548ea41ep-56,         \
        -0x1.f53e999952f09p-54, 0x0p+0
// Factors of the steps of [3/4, 3/2), and -ln and -log2 of them: the first words have few bits.
// ln 2 as a multiple of 2^-41 and a positive rest, so that an infinite multiple is infinite in both
#define WEFT_LN2_STEPS_1D 0x1.62e42fefa3p-1
#define WEFT_LN2_STEPS_2D 0x1.3de6af278ece6p-42
#define WEFT_LOG_FACTORS_D                                                                            \
    0x1p+0, 0x1.dp-1, 0x1.cp-1, 0x1.ap-1, 0x1.9p-1, 0x1.8p-1, 0x1.7p-1, 0x1.6p-1, 0x1.5p+0, 0x1.4p+0, \
        0x1.38p+0, 0x1.28p+0, 0x1.2p+0, 0x1.18p+0, 0x1.1p+0, 0x1p+0
#define WEFT_LOG_STEPS_1D                                                                                 \
    0x0p+0, 0x1.9335e5d598p-4, 0x1.1178e8228p-3, 0x1.a93ed3c8acp-3, 0x1.f991c6cb3cp-3, 0x1.269621134ep-2, \
        0x1.522ae0738ap-2, 0x1.7fafa3bd82p-2, -0x1.1675cababap-2, -0x1.c8ff7c79a8p-3, -0x1.9525a9cf44p-3, \
        -0x1.29552f82p-3, -0x1.e27076e2bp-4, -0x1.6f0d28ae58p-4, -0x1.f0a30c011p-5, 0x0p+0
#define WEFT_LOG_STEPS_2D                                                                                  \
    0x0p+0, -0x1.b3ba8f150ae0ap-43, -0x1.b8421cc74be04p-43, 0x1.9e36f2bea77a6p-43, -0x1.90d04cd7cc834p-44, \
        -0x1.1b61f10522625p-44, 0x1.ebe708164c759p-45, -0x1.5c8243204959ap-43, -0x1.8380e731f55c4p-44,     \
        -0x1.a21ac25d81ef3p-43, -0x1.6b47641307539p-43, 0x1.5b967f4471dfcp-44, 0x1.a342c2af0003cp-45,      \
        0x1.4b4641b664613p-44, -0x1.8a9985f325c5cp-43, 0x0p+0
#define WEFT_LOG2_STEPS_1D                                                                                \
    0x0p+0, 0x1.22dadc2ab4p-3, 0x1.8a8980abfcp-3, 0x1.32bfee370ep-2, 0x1.6cb0f6865cp-2, 0x1.a8ff97181p-2, \
        0x1.e7df5fe538p-2, 0x1.14c560fe69p-1, -0x1.91bba891f2p-2, -0x1.49a784bcd2p-2, -0x1.24407ab0ep-2,  \
        -0x1.acf5e2db5p-3, -0x1.5c01a39fbcp-3, -0x1.08c588cda8p-3, -0x1.663f6fac9p-4, 0x0p+0
#define WEFT_LOG2_STEPS_2D                                                                               \
    0x0p+0, -0x1.6d25a5b8a19b2p-44, -0x1.66cccab240e9p-46, 0x1.cd0cb4492f1bcp-43, 0x1.1d406db502403p-43, \
        0x1.4bc302ffa76fbp-43, 0x1.5669df6a2b592p-43, -0x1.41dfc7d7c3321p-43, 0x1.1ee969a95f529p-43,     \
        0x1.1d406db502403p-44, -0x1.ce60916e52e91p-44, 0x1.36c101ee1344p-43, -0x1.6879fa00b120ap-43,     \
        0x1.871a7610e40bdp-45, -0x1.3167ccc538261p-44, 0x0p+0
#define WEFT_LOG10_STEPS_1D                                                                              \
    0x0p+0, 0x1.5e3966b7fp-5, 0x1.db11ed767p-5, 0x1.715d0ce368p-4, 0x1.b721cd1718p-4, 0x1.ffbfc2bbc8p-4, \
        0x1.25ba8215bp-3, 0x1.4d43f8275cp-3, -0x1.e3bc1ab0ep-4, -0x1.8cf1838868p-4, -0x1.5fe80488bp-4,   \
        -0x1.02428c1f08p-4, -0x1.a30a9d60ap-5, -0x1.3ed1199a6p-5, -0x1.af5f92bp-6, 0x0p+0
#define WEFT_LOG10_STEPS_2D                                                                                 \
    0x0p+0, -0x1.b5ab9118cb412p-43, -0x1.502f348f0f913p-43, -0x1.41149840eaa65p-46, -0x1.40eb504cfa313p-43, \
        -0x1.ff229f20ed3d2p-46, -0x1.007bf2d8bf07ap-44, -0x1.b7cd59750ce36p-43, -0x1.9fe3d562a53fp-44,      \
        0x1.bf9b26ba70341p-43, 0x1.606adb567e739p-45, -0x1.5ea6bc2bc8c2cp-52, 0x1.0163d7e67d282p-45,        \
        0x1.bdafc8ad828b8p-45, -0x1.cc1f4dbc14db5p-43, 0x0p+0
#define WEFT_LOG10_2_STEPS_1D 0x1.34413509f6p-2
#define WEFT_LOG10_2_STEPS_2D 0x1.9fef311f12b36p-42
#define WEFT_LOG2_FACTORS_F                                                                          \
    0x1p+0f, 0x1.dp-1f, 0x1.cp-1f, 0x1.ap-1f, 0x1.9p-1f, 0x1.8p-1f, 0x1.7p-1f, 0x1.6p-1f, 0x1.5p+0f, \
        0x1.4p+0f, 0x1.38p+0f, 0x1.28p+0f, 0x1.2p+0f, 0x1.18p+0f, 0x1.1p+0f, 0x1p+0f
#define WEFT_LOG2_STEPS_1F                                                                                 \
    0x0p+0f, 0x1.22ep-3f, 0x1.8a9p-3f, 0x1.32cp-2f, 0x1.6cbp-2f, 0x1.a9p-2f, 0x1.e7ep-2f, 0x1.14c4p-1f,    \
        -0x1.91b8p-2f, -0x1.49a8p-2f, -0x1.244p-2f, -0x1.acfp-3f, -0x1.5cp-3f, -0x1.08cp-3f, -0x1.664p-4f, \
        0x0p+0f
#define WEFT_LOG2_STEPS_2F                                                                            \
    0x0p+0f, -0x1.48f554p-17f, -0x1.9fd502p-17f, -0x1.1c8f12p-22f, 0x1.ed0cbap-19f, -0x1.a39fbep-20f, \
        -0x1.40358ep-19f, 0x1.60fe68p-17f, -0x1.d448f8p-17f, 0x1.ed0cbap-20f, -0x1.eac382p-20f,       \
        -0x1.78b6d4p-17f, -0x1.a39fbep-19f, -0x1.62336ap-17f, 0x1.20a6dep-21f, 0x0p+0f
// Coefficients of erf around j/4
#define WEFT_ERF_STEPS_0F                                                                                    \
    0x0p+0f, 0x1.1af54ep-2f, 0x1.0a7ef6p-1f, 0x1.6c1c98p-1f, 0x1.af767ap-1f, 0x1.d8865ep-1f, 0x1.eea556p-1f, \
        0x1.f92d08p-1f, 0x1.fd9ae2p-1f, 0x1.ff4048p-1f, 0x1.ffcaa8p-1f, 0x1.fff2dp-1f, 0x1.fffd1ap-1f,       \
        0x1.ffff7p-1f, 0x1.ffffe8p-1f, 0x1.fffffcp-1f
#define WEFT_ERF_STEPS_1F                                                                                \
    0x1.20dd76p+0f, 0x1.0f5d18p+0f, 0x1.c1efccp-1f, 0x1.492e44p-1f, 0x1.a911f2p-2f, 0x1.e4653p-3f,       \
        0x1.e72372p-4f, 0x1.b0552ep-5f, 0x1.529b9cp-6f, 0x1.d41438p-8f, 0x1.1d831ap-9f, 0x1.3360dcp-11f, \
        0x1.24091p-13f, 0x1.e9b67p-16f, 0x1.6a5a2ap-18f, 0x1.d938bep-21f
#define WEFT_ERF_STEPS_2F                                                                                \
    -0x1.f30324p-17f, -0x1.0f5baap-2f, -0x1.c1eep-2f, -0x1.edc46ep-2f, -0x1.a9121ap-2f, -0x1.2ec002p-2f, \
        -0x1.6d5bfap-3f, -0x1.7a4bd6p-4f, -0x1.529bc2p-5f, -0x1.0749b8p-6f, -0x1.64dd6ep-8f,             \
        -0x1.a695cep-10f, -0x1.b5f208p-12f, -0x1.8dbca4p-14f, -0x1.3cdfe8p-16f, -0x1.bb477p-19f
#define WEFT_ERF_STEPS_3F                                                                             \
    -0x1.808cfp-2f, -0x1.3c9c9ep-2f, -0x1.2bfcdep-3f, 0x1.b6c24cp-6f, 0x1.1b5f34p-3f, 0x1.571ce4p-3f, \
        0x1.1c2aeap-3f, 0x1.714aaep-4f, 0x1.8b0cep-5f, 0x1.63f032p-6f, 0x1.119c52p-7f, 0x1.69c9p-9f,  \
        0x1.9da812p-11f, 0x1.9a89f2p-13f, 0x1.62a862p-15f, 0x1.0b417ap-17f
#define WEFT_ERF_STEPS_4F                                                                                    \
    -0x1.e6dc22p-8f, 0x1.02225ap-3f, 0x1.748e6ep-3f, 0x1.3351e2p-3f, 0x1.1bcffep-4f, -0x1.7316b8p-8f,        \
        -0x1.69a688p-5f, -0x1.88546ep-5f, -0x1.1a14dep-5f, -0x1.39c538p-6f, -0x1.1caf1p-7f, -0x1.b024f8p-9f, \
        -0x1.16553ap-10f, -0x1.3300f2p-12f, -0x1.23bbf4p-14f, -0x1.dfc0ecp-17f
#define WEFT_ERF_STEPS_5F                                                                               \
    0x1.225eaap-3f, 0x1.4b1634p-4f, 0x1.0b628ep-7f, -0x1.ade3e8p-5f, -0x1.1986c8p-4f, -0x1.81ec8ap-5f,  \
        -0x1.ec930cp-7f, 0x1.a5833ap-8f, 0x1.a97ca6p-7f, 0x1.5c8aap-7f, 0x1.92026ep-8f, 0x1.6bd9bep-9f, \
        0x1.0daf5p-10f, 0x1.4ea182p-12f, 0x1.601852p-14f, 0x1.3cd21ap-16f

#endif

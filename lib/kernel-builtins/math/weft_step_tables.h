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
// Coefficients of erf around 3j/8
#define WEFT_ERF_STEPS_0D                                                                          \
    0x0p+0, 0x1.9dd0d2b721f39p-2, 0x1.6c1c9759d0e5fp-1, 0x1.c6dad2829ec62p-1, 0x1.eea5557137aep-1, \
        0x1.fbe61eef4cf6ap-1, 0x1.ff404760319b4p-1, 0x1.ffe514bbdc197p-1, 0x1.fffd1ac4135f9p-1,    \
        0x1.ffffc316d9edp-1, 0x1.fffffc2f171e3p-1, 0x1.ffffffd169d0cp-1, 0x1.fffffffe4fa3p-1,      \
        0x1.fffffffff4188p-1, 0x1.ffffffffffc05p-1, 0x1.ffffffffffffp-1
#define WEFT_ERF_STEPS_1D                                                                           \
    0x1.20dd750429b6dp+0, 0x1.f5f0cdaf15315p-1, 0x1.492e42d78d2c9p-1, 0x1.45e99bcbb791p-2,          \
        0x1.e723726b824a1p-4, 0x1.12ceb37ff9bd5p-5, 0x1.d4143a9dfe96ep-8, 0x1.2ce89880923dcp-10,    \
        0x1.2408e9ba33261p-13, 0x1.abe09e91451b5p-17, 0x1.d9371e2ff8941p-21, 0x1.8b0cfce05308ep-25, \
        0x1.f1e3523b0f84cp-30, 0x1.d9a880f22a224p-35, 0x1.5422ef5b5b958p-40, 0x1.70beaf957402dp-46
#define WEFT_ERF_STEPS_2D                                                                               \
    0x1.648d573faa5a3p-46, -0x1.78749a434fe66p-2, -0x1.edc5644353c6p-2, -0x1.6ea6cf452e835p-2,          \
        -0x1.6d5a95d0a1b68p-3, -0x1.01a1c847fa20bp-4, -0x1.074b60f8df36ep-6, -0x1.8af14828bff6bp-9,     \
        -0x1.b60d5e974ca82p-12, -0x1.690585ca92162p-15, -0x1.bba3ac4cf93edp-19, -0x1.976564c75a1b6p-23, \
        -0x1.180fde414825dp-27, -0x1.20a2ae93c9901p-32, -0x1.be6dda28e293dp-38, -0x1.0346137689c2ap-43
#define WEFT_ERF_STEPS_3D                                                                           \
    -0x1.812746b04a2ffp-2, -0x1.e106c51d205b2p-3, 0x1.b6e8591f4dbe7p-6, 0x1.4cb3cf0aa2c5cp-3,       \
        0x1.1c2a02beb76dp-3, 0x1.143d1c6f4d4f9p-4, 0x1.63ef61e823c9fp-6, 0x1.407fbd18f6ab1p-8,      \
        0x1.9db74b1d1f47cp-11, 0x1.84522fe859e74p-14, 0x1.0b6a7b0ef2c7bp-17, 0x1.0fdac55a9b251p-21, \
        0x1.99b8665fe104cp-26, 0x1.cb2a2e811fb42p-31, 0x1.7f8a0faa7978cp-36, 0x1.de74c23a943b2p-42
#define WEFT_ERF_STEPS_4D                                                                               \
    0x1.821249998ac99p-32, 0x1.5529abcd035p-3, 0x1.349b5eaa1e24fp-3, 0x1.ca508316784d6p-6,              \
        -0x1.6d5a95d0aa536p-5, -0x1.5a316520b76b7p-5, -0x1.38a9832785558p-6, -0x1.62d4c6d49f687p-8,     \
        -0x1.11c85b1e97cd2p-10, -0x1.298f8d45eb054p-13, -0x1.d06f586032761p-17, -0x1.07600ca6ed6b8p-20, \
        -0x1.b598cb4b26524p-25, -0x1.0bc6ed05d7111p-29, -0x1.e4cb4b4915498p-35, -0x1.459c8225d525dp-40
#define WEFT_ERF_STEPS_5D                                                                         \
    0x1.ce2f1d9b33ec1p-4, 0x1.7488b8acdb513p-5, -0x1.b42a18859eb9ep-5, -0x1.f65d15f915e49p-5,     \
        -0x1.e723727642c8cp-7, 0x1.779b1e634993dp-7, 0x1.5d3b17bcb7cafp-7, 0x1.146c4b393b148p-8,  \
        0x1.0a7b55460c195p-10, 0x1.57757799e93fp-13, 0x1.3436bcb1c7c34p-16, 0x1.89ca76e06e4cp-20, \
        0x1.6b1bad192f33p-24, 0x1.e7ba4de253374p-29, 0x1.e0449be0103cdp-34, 0x1.5c5ebd25fa552p-39
#define WEFT_ERF_STEPS_6D                                                                               \
    0x1.900a353a50af9p-22, -0x1.9a7945d071791p-5, -0x1.b847798edb04dp-6, 0x1.fd1c6c10b29b4p-7,          \
        0x1.3ca3d7366243dp-6, 0x1.0d099c782323fp-8, -0x1.7cae0d57a1583p-9, -0x1.267f3bc068b14p-9,       \
        -0x1.82f235a6d59b8p-11, -0x1.330aab7e9bc37p-13, -0x1.4357b571a335fp-16, -0x1.d73aa4dd1fdbfp-20, \
        -0x1.e650e1c07458ap-24, -0x1.689342ca82116p-28, -0x1.83ea3d7805b78p-33, -0x1.30e3c1b871bd1p-38
#define WEFT_ERF_STEPS_7D                                                                           \
    -0x1.b84520b8359bbp-6, -0x1.65c11a8196782p-8, 0x1.2e0af284697cap-6, 0x1.3acc835846a7dp-7,       \
        -0x1.36d7323095655p-8, -0x1.42fcc4033863dp-8, -0x1.5f8318d624e62p-11, 0x1.64f8a0b76f7ap-11, \
        0x1.998b48c810813p-12, 0x1.ac998a7f8a44ap-14, 0x1.110dddc212b7bp-16, 0x1.cd9e343cba359p-20, \
        0x1.0d67f96808516p-23, 0x1.bc2c933a68eafp-28, 0x1.065ba1c45061p-32, 0x1.c08edc9b74ec5p-38
#define WEFT_ERF_STEPS_8D                                                                               \
    0x1.e324f5293c2e9p-15, 0x1.709ab4e27fdb9p-7, 0x1.2db3807569e11p-9, -0x1.8b43c19748958p-8,           \
        -0x1.35ae65189dbbep-9, 0x1.76ff5b0cf5dc7p-10, 0x1.0602eda3a5e73p-10, 0x1.229eafc56818ep-15,     \
        -0x1.1aa5ed3e5e16bp-13, -0x1.cc1570e077fb6p-15, -0x1.7566ae0e30958p-17, -0x1.7710b848730b8p-20, \
        -0x1.f5f38baa2046fp-24, -0x1.d0115305e3e64p-28, -0x1.2ec759a6adcebp-32, -0x1.1ab85b18c7e6ep-37
#define WEFT_ERF_STEPS_9D                                                                             \
    0x1.3e2de30f23fd3p-8, 0x1.047bbfa973c9cp-13, -0x1.040a09c158999p-8, -0x1.79f2117138003p-12,       \
        0x1.c031faf7c6adap-10, 0x1.7bf63968d9204p-12, -0x1.8350e8bc0b708p-12, -0x1.4011dedce19dfp-13, \
        0x1.d29d4f514ac2fp-17, 0x1.64cf18368270ep-16, 0x1.99fad4f23a404p-18, 0x1.fc0bb8347bb02p-21,   \
        0x1.8d073579f1406p-24, 0x1.a008aee67ebe7p-28, 0x1.2dcc5b3e9408bp-32, 0x1.3517fd22b362ep-37
#define WEFT_ERF_STEPS_10D                                                                             \
    0x1.813de8accb518p-10, -0x1.07532449b1314p-9, 0x1.858d6af0ab923p-13, 0x1.2e4fbae1490ffp-10,        \
        -0x1.854a852467025p-14, -0x1.991ddea24c7c2p-12, -0x1.81896da129882p-17, 0x1.3636b51ff532ap-14, \
        0x1.060c8138ff965p-16, -0x1.34f99f1126a0cp-18, -0x1.5d731f409a4fep-19, -0x1.1dd3267039f48p-21, \
        -0x1.0c2971d77483fp-24, -0x1.434268cd621bp-28, -0x1.0733340a64b8ep-32, -0x1.29abc3ae1460ap-37
#define WEFT_ERF_STEPS_11D                                                                            \
    -0x1.1195852b8f3f4p-8, 0x1.d985e32d3a0d9p-14, 0x1.42a3c743f0e64p-11, -0x1.675feb8d08bc1p-13,      \
        -0x1.08a70c38bfd9ap-12, 0x1.2b5ab65935058p-14, 0x1.1087c50d1dac7p-14, -0x1.4aa0e7196975fp-17, \
        -0x1.69a897383888cp-17, -0x1.7bc55b04a865cp-21, 0x1.9caef1db300f3p-21, 0x1.090247d995351p-22, \
        0x1.3be283ebb625ap-25, 0x1.c44e7d837095fp-29, 0x1.a73c660b6aec2p-33, 0x1.0db26d7d41315p-37
#define WEFT_ERF_STEPS_12D                                                                            \
    0x1.ae8dbb442267dp-9, 0x1.33f241fec6c3ep-12, -0x1.ac22f5314c9b3p-14, -0x1.269026ea57121p-13,      \
        0x1.3df5b27a07f8dp-14, 0x1.2f9098b4a30ep-15, -0x1.751f1630d51fdp-16, -0x1.c6af0216f09bfp-18,  \
        0x1.8ec8ad89fb219p-19, 0x1.20f53a419f999p-20, -0x1.6affcaf0e53bbp-24, -0x1.77b61cc7941e5p-24, \
        -0x1.31df697092003p-26, -0x1.08cd149d60af6p-29, -0x1.1d6d1a80ddf47p-33, -0x1.98102b275249bp-38

#endif

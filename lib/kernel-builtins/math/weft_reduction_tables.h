// Made by polynomials.py; do not edit. Constants in parts, and the digits of 2/pi that reduce large arguments.
#ifndef WEFT_REDUCTION_TABLES_H
#define WEFT_REDUCTION_TABLES_H

#define WEFT_PI_2_1F 0x1.921fb6p+0f
#define WEFT_PI_2_2F -0x1.777a5cp-25f
#define WEFT_PI_2_3F -0x1.ee59dap-50f
#define WEFT_PI_1F 0x1.921fb6p+1f
#define WEFT_INV_PI_1F 0x1.45f306p-2f
#define WEFT_INV_PI_2F 0x1.b9391p-27f
#define WEFT_TWO_OVER_PI_1F 0x1.45f306p-1f
#define WEFT_LOG2E_1F 0x1.715476p+0f
#define WEFT_LOG2E_2F 0x1.4ae0cp-26f
#define WEFT_LOG10E_1F 0x1.bcb7b2p-2f
#define WEFT_LOG10E_2F -0x1.5b235ep-27f
#define WEFT_LN2_1F 0x1.62e43p-1f
#define WEFT_LN2_2F -0x1.05c61p-29f
#define WEFT_LOG10_2_1F 0x1.344136p-2f
#define WEFT_LOG10_2_2F -0x1.ec10cp-27f
#define WEFT_LN10_1F 0x1.26bb1cp+1f
#define WEFT_LOG2_10_1F 0x1.a934fp+1f
#define WEFT_PI_2_1D 0x1.921fb54442d18p+0
#define WEFT_PI_2_2D 0x1.1a62633145c07p-54
#define WEFT_PI_2_3D -0x1.f1976b7ed8fbcp-110
#define WEFT_PI_1D 0x1.921fb54442d18p+1
#define WEFT_INV_PI_1D 0x1.45f306dc9c883p-2
#define WEFT_INV_PI_2D -0x1.6b01ec5417056p-56
#define WEFT_TWO_OVER_PI_1D 0x1.45f306dc9c883p-1
#define WEFT_LOG2E_1D 0x1.71547652b82fep+0
#define WEFT_LOG2E_2D 0x1.777d0ffda0d24p-56
#define WEFT_LOG10E_1D 0x1.bcb7b1526e50ep-2
#define WEFT_LOG10E_2D 0x1.95355baaafad3p-57
#define WEFT_LN2_1D 0x1.62e42fefa39efp-1
#define WEFT_LN2_2D 0x1.abc9e3b39803fp-56
#define WEFT_LOG10_2_1D 0x1.34413509f79ffp-2
#define WEFT_LOG10_2_2D -0x1.9dc1da994fd21p-59
#define WEFT_LN10_1D 0x1.26bb1bbb55516p+1
#define WEFT_LOG2_10_1D 0x1.a934f0979a371p+1
#define WEFT_PI_4_1D 0x1.921fb54442d18p-1
#define WEFT_PI_4_2D 0x1.1a62633145c07p-55
#define WEFT_ERF_SLOPE_F 0x1.20dd76p+0f
#define WEFT_SINPI_3F -0x1.4abbc6p+2f
#define WEFT_SINPI_3D -0x1.4abbce625be52p+2
#define WEFT_LOG_NATIVE_1F -0x1.00011cp-1f
#define WEFT_LOG_NATIVE_2F 0x1.553058p-2f
#define WEFT_LOG2_NATIVE_1F -0x1.715612p-1f
#define WEFT_LOG2_NATIVE_2F 0x1.ec3b3ep-2f
#define WEFT_LOG10_NATIVE_1F -0x1.bcb9ap-3f
#define WEFT_LOG10_NATIVE_2F 0x1.285a54p-3f
#define WEFT_EXP_QUOTIENT_2F 0x1.fffffcp-2f
#define WEFT_EXP2_NATIVE_1F 0x1.62e12ap+0f
#define WEFT_HALF_LN_2PI_1D 0x1.d67f1c864beb5p-1
#define WEFT_HALF_LN_2PI_2D -0x1.65b5a1b7ff5dfp-55
#define WEFT_TWO_THIRDS_1D 0x1.5555555555555p-1
#define WEFT_TWO_THIRDS_2D 0x1.5555555555555p-55
#define WEFT_TWO_THIRDS_LOG2E_1D 0x1.ec709dc3a03fdp-1
#define WEFT_TWO_THIRDS_LOG2E_2D 0x1.d27f05548af0cp-55
#define WEFT_PI_2_BELOW_1F 0x1.921fb4p+0f
#define WEFT_PI_2_BELOW_2F 0x1.4442dp-24f
#define WEFT_PI_2_BELOW_3F 0x1.846988p-48f
#define WEFT_PI_2_BELOW_1D 0x1.921fb54442d18p+0
#define WEFT_PI_2_BELOW_2D 0x1.1a62633145c06p-54
#define WEFT_PI_2_BELOW_3D 0x1.c1cd129024e08p-107
// Parts whose products with the number of turns are exact, and a rest.
#define WEFT_PI_2_SHORT_1F 0x1.92p+0f
#define WEFT_PI_2_SHORT_2F 0x1.fb4p-12f
#define WEFT_PI_2_SHORT_3F 0x1.444p-24f
#define WEFT_PI_2_SHORT_4F 0x1.68c234p-39f
#define WEFT_PI_2_SHORT_1D 0x1.921fb544p+0
#define WEFT_PI_2_SHORT_2D 0x1.0b4611a6p-34
#define WEFT_PI_2_SHORT_3D 0x1.3198a2e037073p-69
// The same for 64ths of an octave.
#define WEFT_LN2_64_SHORT_D 0x1.62e42fef8p-7
#define WEFT_LN2_64_REST_D 0x1.1cf79abc9e3b4p-42
#define WEFT_LOG10_2_64_SHORT_D 0x1.3441350ap-8
#define WEFT_LOG10_2_64_REST_D -0x1.0c0219dc1da99p-45
// The first part is short: its product with a binary exponent is exact.
#define WEFT_LN2_SHORT_F 0x1.62e8p-1f
#define WEFT_LN2_REST_F -0x1.e8082ep-16f
#define WEFT_LN2_SHORT_D 0x1.62e42fefa4p-1
#define WEFT_LN2_REST_D -0x1.8432a1b0e2634p-43
#define WEFT_PI_2_SHORT_F 0x1.922p+0f
#define WEFT_PI_2_REST_F -0x1.2aeef4p-18f
#define WEFT_PI_2_SHORT_D 0x1.921fb5448p+0
#define WEFT_PI_2_REST_D -0x1.e973dcb3b399dp-35
#define WEFT_LOG10_2_SHORT_F 0x1.344p-2f
#define WEFT_LOG10_2_REST_F 0x1.3509f8p-18f
#define WEFT_LOG10_2_SHORT_D 0x1.34413509f8p-2
#define WEFT_LOG10_2_REST_D -0x1.80433b83b532ap-44
#define WEFT_TWO_THIRDS_LOG2E_SHORT_F 0x1.ec7p-1f
#define WEFT_TWO_THIRDS_LOG2E_REST_F 0x1.3b874p-18f
#define WEFT_TWO_THIRDS_LOG2E_SHORT_D 0x1.ec709ep-1
#define WEFT_TWO_THIRDS_LOG2E_REST_D -0x1.e2fe0145b01f5p-28

// 2/pi after eight zero bits.
#define WEFT_TWO_OVER_PI_BITS_0 0x00a2f9836e4e4415ul
#define WEFT_TWO_OVER_PI_BITS_1 0x29fc2757d1f534ddul
#define WEFT_TWO_OVER_PI_BITS_2 0xc0db6295993c4390ul
#define WEFT_TWO_OVER_PI_BITS_3 0x41fe5163abdebbc5ul

// Row j: 2^(16j-22) * 2/pi modulo 4, in four parts.
static constant double weft_two_over_pi_d[63][4] = {
    {0x1.45f306dc9c883p-23, -0x1.6b01ec5417056p-77, -0x1.6447e493ad4cep-131, 0x1.e21c820ff28b2p-185},
    {0x1.45f306dc9c883p-7, -0x1.6b01ec5417056p-61, -0x1.6447e493ad4cep-115, 0x1.e21c820ff28b2p-169},
    {0x1.f306dc9c882a5p+1, 0x1.fc2757d1f534ep-54, -0x1.1f924eb53361ep-109, 0x1.c820ff28b1d5fp-165},
    {0x1.b9391054a7f0ap+0, -0x1.505c1596447e5p-55, 0x1.b14acc9e21c82p-109, 0x1.fe5163abdebbcp-166},
    {0x1.1054a7f09d5f4p+0, 0x1.f534ddc0db629p-54, 0x1.664f10e4107f9p-108, 0x1.163abdebbc562p-162},
    {0x1.4fe13abe8fa9ap-1, 0x1.bb81b6c52b328p-55, -0x1.de37df00d74e3p-109, 0x1.7bd778ac36e49p-163},
    {0x1.3abe8fa9a6eep-1, 0x1.b6c52b3278872p-55, 0x1.07f9458eaf7afp-112, -0x1.d4f246dc8e2dfp-169},
    {0x1.a3ea69bb81b6cp+1, 0x1.4acc9e21c821p-53, -0x1.ae9c5421443aap-110, 0x1.b7246e3a424ddp-166},
    {0x1.a6ee06db14acdp-1, -0x1.8778df7c035d4p-55, 0x1.d5ef5de2b0db9p-109, 0x1.1b8e909374b8p-164},
    {0x1.81b6c52b32788p+1, 0x1.c820ff28b1d5fp-53, -0x1.443a9e48db91cp-110, -0x1.6f6c8b47fe6dbp-164},
    {0x1.8a5664f10e41p+0, 0x1.fe5163abdebbcp-54, 0x1.586dc91b8e909p-108, 0x1.ba5c00c925dd4p-163},
    {0x1.3278872083fcap+1, 0x1.63abdebbc561bp-54, 0x1.c91b8e909374cp-108, -0x1.ff9b6d115f62ep-162},
    {0x1.0e4107f9458ebp+0, -0x1.0a21d4f246dc9p-57, 0x1.d2126e9700325p-113, -0x1.a22bec5cdbc6p-167},
    {0x1.07f9458eaf7afp+0, -0x1.d4f246dc8e2dfp-57, 0x1.374b801924bbbp-112, -0x1.f62e6de301e21p-166},
    {0x1.458eaf7aef158p+0, 0x1.b7246e3a424ddp-54, 0x1.700324977504fp-109, -0x1.cdbc603c429c7p-163},
    {0x1.57bd778ac36e5p+1, -0x1.c8e2ded9169p-53, 0x1.924bba8274648p-108, 0x1.cfe1deb1cb12ap-162},
    {0x1.778ac36e48dc7p+1, 0x1.2126e97003249p-53, 0x1.dd413a32439fcp-107, 0x1.deb1cb129a73fp-162},
    {0x1.86dc91b8e9093p+0, 0x1.d2e006492eea1p-54, -0x1.8b9b78c078854p-108, 0x1.cb129a73ee882p-162},
    {0x1.2371d2126e97p-1, 0x1.924bba8274648p-60, 0x1.cfe1deb1cb12ap-114, -0x1.63045df7282b4p-168},
    {0x1.d2126e9700325p-1, -0x1.a22bec5cdbc6p-55, -0x1.e214e34ed658cp-110, -0x1.177dca0ad144cp-166},
    {0x1.374b801924bbbp+0, -0x1.f62e6de301e21p-54, -0x1.38d3b5963045ep-108, 0x1.1afa975da2427p-165},
    {0x1.c00c925dd413ap+1, 0x1.921cfe1deb1cbp-54, 0x1.29a73ee88235fp-110, 0x1.4baed1213a672p-164},
    {0x1.24bba82746487p+0, 0x1.fc3bd63962535p-55, -0x1.822efb9415a29p-111, 0x1.a24274ce38136p-165},
    {0x1.d413a32439fc4p+1, -0x1.0a71a76b2c609p-53, 0x1.1046bea5d7689p-107, 0x1.3a671c09ad17ep-164},
    {0x1.a32439fc3bd64p+1, -0x1.a76b2c608bbeep-53, -0x1.415a28976f62dp-107, 0x1.c7026b45f7e41p-162},
    {0x1.cfe1deb1cb12ap-2, -0x1.63045df7282b4p-56, -0x1.44bb7b16638fep-110, 0x1.ad17df904e647p-164},
    {0x1.deb1cb129a73fp-2, -0x1.77dca0ad144bbp-58, -0x1.ec598e3f652e8p-112, -0x1.037d8cdc538dp-167},
    {0x1.cb129a73ee882p-2, 0x1.afa975da24275p-57, -0x1.8e3f652e8207p-112, 0x1.3991d63983534p-166},
    {0x1.4d39f74411afbp-1, -0x1.a28976f62cc72p-55, 0x1.35a2fbf209cc9p-113, -0x1.4e33e566305b2p-169},
    {0x1.f74411afa975ep-1, -0x1.76f62cc71fb29p-55, -0x1.d040df633714ep-109, -0x1.9f2b3182d8defp-164},
    {0x1.046bea5d76891p+1, -0x1.8b31c7eca5d04p-53, -0x1.bec66e29c67cbp-110, 0x1.9cfa4e422fc5ep-165},
    {0x1.ea5d768909d34p+1, -0x1.c7eca5d040df6p-53, -0x1.9b8a719f2b318p-108, -0x1.6c6f740e8840ep-163},
    {0x1.768909d338e05p+1, -0x1.4ba081bec66e3p-54, 0x1.8e60d4ce7d272p-108, 0x1.17e2ef7e4a0ecp-164},
    {0x1.09d338e04d68cp+1, -0x1.037d8cdc538dp-55, 0x1.a99cfa4e422fcp-109, 0x1.77bf250763ff1p-163},
    {0x1.38e04d68befc8p+1, 0x1.3991d63983534p-54, -0x1.82d8dee81d108p-108, -0x1.b5f13801da001p-164},
    {0x1.35a2fbf209cc9p-1, -0x1.4e33e566305b2p-57, 0x1.08bf177bf2507p-111, 0x1.8ffc4bffef02dp-165},
    {0x1.7df904e64758ep+0, 0x1.835339f49c846p-54, -0x1.d1081b5f13802p-112, 0x1.2fffbc0b301fep-167},
    {0x1.04e64758e60d5p+0, -0x1.8c16c6f740e88p-55, -0x1.036be27003b4p-109, -0x1.0fd33f8086877p-169},
    {0x1.23ac7306a673fp+1, -0x1.b1bdd03a21037p-53, 0x1.0763ff12fffbcp-107, 0x1.6603fbcbc462dp-164},
    {0x1.cc1a99cfa4e42p-1, 0x1.7e2ef7e4a0ec8p-56, -0x1.da00087e99fcp-116, -0x1.0d0ee74a5f593p-170},
    {0x1.4ce7d272117e3p+0, -0x1.081b5f13801dap-56, -0x1.0fd33f8086877p-121, -0x1.d297d64b824b2p-176},
    {0x1.e93908bf177bfp+1, 0x1.283b1ff897ffep-54, -0x1.fa67f010d0ee7p-110, -0x1.297d64b824b26p-164},
    {0x1.08bf177bf2507p+1, 0x1.8ffc4bffef02dp-53, -0x1.fc04343b9d298p-108, 0x1.4da3eda6cfd9ep-163},
    {0x1.177bf250763ffp+1, 0x1.2fffbc0b301fep-55, -0x1.a1dce94beb25cp-111, -0x1.25930261b069fp-167},
    {0x1.f250763ff13p+1, -0x1.0fd33f8086877p-57, -0x1.d297d64b824b2p-112, -0x1.8130d834f648bp-166},
    {0x1.d8ffc4bffef03p-1, -0x1.9fc04343b9d29p-56, -0x1.f592e092c9813p-110, -0x1.b069ec9161738p-167},
    {0x1.f12fffbc0b302p+1, -0x1.0d0ee74a5f593p-58, 0x1.f6d367ecf27cbp-114, 0x1.36e9e8c7ecd3dp-171},
    {0x1.ffbc0b301fde6p+1, -0x1.dce94beb25c12p-55, -0x1.64c0986c1a7b2p-109, -0x1.161738132c34p-163},
    {0x1.6603fbcbc462dp-4, 0x1.a0a6d1f6d367fp-58, -0x1.86c1a7b24585dp-113, 0x1.fb34f2ff516bbp-169},
    {0x1.fde5e2316b415p-3, -0x1.2e092c98130d8p-58, -0x1.a7b24585ce04dp-113, 0x1.3cbfd45aea4f7p-167},
    {0x1.788c5ad05369p-1, -0x1.25930261b069fp-55, 0x1.b74f463f669e6p-110, -0x1.5d28ad8453814p-170},
    {0x1.16b414da3eda7p+1, -0x1.8130d834f648bp-54, -0x1.738132c3402bap-111, -0x1.456c229c0a0dp-165},
    {0x1.4da3eda6cfd9ep-3, 0x1.3e584dba7a32p-57, -0x1.32c3402ba515bp-111, -0x1.14e050683a131p-168},
    {0x1.f6d367ecf27cbp-2, 0x1.36e9e8c7ecd3dp-59, -0x1.00ae9456c229cp-113, -0x1.41a0e84c2f8c6p-170},
    {0x1.b3f6793e584dcp-1, -0x1.61738132c3403p-55, 0x1.16ba93dd63f5fp-109, 0x1.7c5ecf41ce7dep-164},
    {0x1.9e4f96136e9e9p+1, -0x1.c09961a015d29p-54, 0x1.49eeb1faf97c6p-108, -0x1.30be31821d6b6p-164},
    {0x1.96136e9e8c7edp+1, -0x1.61a015d28ad84p-54, -0x1.4e050683a130cp-108, 0x1.ce7de294a4baap-164},
    {0x1.6e9e8c7ecd3ccp+1, -0x1.5d28ad8453814p-58, -0x1.a0e84c2f8c608p-114, -0x1.d6b5b45650128p-168},
    {0x1.18fd9a797fa8bp+0, 0x1.7527bac7ebe5fp-54, 0x1.7b3d0739f78a5p-110, 0x1.497535fdafd89p-165},
    {0x1.9a797fa8b5d4ap+0, -0x1.14e050683a131p-56, 0x1.0739f78a5292fp-110, -0x1.65012813b81cbp-164},
    {0x1.7fa8b5d49eeb2p+0, -0x1.41a0e84c2f8c6p-58, -0x1.0eb5ada2b2809p-115, -0x1.0277039517bd5p-169},
    {0x1.6ba93dd63f5f3p-1, -0x1.d0985f18c10ebp-59, -0x1.6b68aca025027p-113, -0x1.c0e545ef53f9ap-167},
    {0x1.3dd63f5f2f8bep-1, -0x1.85f18c10eb5aep-55, 0x1.7535fdafd88fcp-109, 0x1.aba10ac06608ep-163},
};

// The bits of 2^(j/64) less j << 46: with the bits of 64 n + j, shifted by 46, they are those of 2^(n + j/64).
static constant ulong weft_exp2_bits_d[64] = {
    0x3ff0000000000000ul, 0x3fefec9a3e778061ul, 0x3fefd9b0d3158574ul, 0x3fefc74518759bc8ul,
    0x3fefb5586cf9890ful, 0x3fefa3ec32d3d1a2ul, 0x3fef9301d0125b51ul, 0x3fef829aaea92de0ul,
    0x3fef72b83c7d517bul, 0x3fef635beb6fcb75ul, 0x3fef54873168b9aaul, 0x3fef463b88628cd6ul,
    0x3fef387a6e756238ul, 0x3fef2b4565e27cddul, 0x3fef1e9df51fdee1ul, 0x3fef1285a6e4030bul,
    0x3fef06fe0a31b715ul, 0x3feefc08b26416fful, 0x3feef1a7373aa9cbul, 0x3feee7db34e59ff7ul,
    0x3feedea64c123422ul, 0x3feed60a21f72e2aul, 0x3feece086061892dul, 0x3feec6a2b5c13cd0ul,
    0x3feebfdad5362a27ul, 0x3feeb9b2769d2ca7ul, 0x3feeb42b569d4f82ul, 0x3feeaf4736b527daul,
    0x3feeab07dd485429ul, 0x3feea76f15ad2148ul, 0x3feea47eb03a5585ul, 0x3feea23882552225ul,
    0x3feea09e667f3bcdul, 0x3fee9fb23c651a2ful, 0x3fee9f75e8ec5f74ul, 0x3fee9feb564267c9ul,
    0x3feea11473eb0187ul, 0x3feea2f336cf4e62ul, 0x3feea589994cce13ul, 0x3feea8d99b4492edul,
    0x3feeace5422aa0dbul, 0x3feeb1ae99157736ul, 0x3feeb737b0cdc5e5ul, 0x3feebd829fde4e50ul,
    0x3feec49182a3f090ul, 0x3feecc667b5de565ul, 0x3feed503b23e255dul, 0x3feede6b5579fdbful,
    0x3feee89f995ad3adul, 0x3feef3a2b84f15fbul, 0x3feeff76f2fb5e47ul, 0x3fef0c1e904bc1d2ul,
    0x3fef199bdd85529cul, 0x3fef27f12e57d14bul, 0x3fef3720dcef9069ul, 0x3fef472d4a07897cul,
    0x3fef5818dcfba487ul, 0x3fef69e603db3285ul, 0x3fef7c97337b9b5ful, 0x3fef902ee78b3ff6ul,
    0x3fefa4afa2a490daul, 0x3fefba1bee615a27ul, 0x3fefd0765b6e4540ul, 0x3fefe7c1819e90d8ul};

#endif

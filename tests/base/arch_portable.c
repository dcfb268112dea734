// The portable versions, for processors without files of their own (lib/base/arch/portable.*). A second copy
// of them, with other names, must do what this machine's family does.
// timeout: 60
#undef WEFT_ARCH_HEADER
#define weft_arch_enter portable_enter
#define weft_arch_leave portable_leave
#define weft_arch_on_stack portable_on_stack
#define weft_arch_level portable_level
#define weft_arch_vector_bytes portable_vector_bytes
#define weft_arch_brand portable_brand
#define weft_arch_identity_bytes portable_identity_bytes
#define weft_arch_nontemporal_copy portable_nontemporal_copy
#define weft_arch_nontemporal_fill portable_nontemporal_fill
#include "base/arch/portable.c"

#include "arch_tests.h"

TEST(there_is_nothing_that_it_claims_to_know)
{
    char name[128], vendor[32];
    weft_arch_brand(name, vendor);
    CHECK_EQ(name[0], '\0');
    CHECK_EQ(vendor[0], '\0');
    CHECK_EQ(weft_arch_level(), 0);
    CHECK_EQ(WEFT_ARCH_CONTEXTS, 0);
}

// The functions of lib/base/arch/arch.h in this machine's family. arch_portable.c tests the portable
// versions.
// timeout: 60
#include "base/arch/arch.h"
#include "arch_tests.h"

// Faults go through the family's own functions to fault.c. So they must report where the fault happened.
#include "faults.h"

TEST(a_fault_says_where_it_happened)
{
    struct weft_fault f = {0};
    weft_fault_install();
    CHECK(!weft_fault_call(write_wild, NULL, &f));
    CHECK_EQ(f.address, (void *)0x1234);
    if (f.instruction == NULL)
        SKIP("the program counter isn't known here");
    CHECK_GE((uintptr_t)f.instruction, (uintptr_t)write_wild);
    CHECK_LT((uintptr_t)f.instruction, (uintptr_t)write_wild + 200);
}

TEST(the_processor_has_a_name)
{
    char name[128], vendor[32];
    weft_arch_brand(name, vendor);
#if defined(__x86_64__)
    if (WEFT_ARCH_CONTEXTS) { // not with WEFT_ARCH=portable
        CHECK(name[0] != '\0');
        CHECK(name[0] != ' ');
        CHECK_EQ(strlen(vendor), 12u);
        CHECK_GE(weft_arch_level(), 1);
    }
#endif
    CHECK_LT(strlen(name), sizeof name);
    CHECK_LT(strlen(vendor), sizeof vendor);
}

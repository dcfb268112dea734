// Between bridge_*.cpp alone: what Clang's code generation fails at in programs with blocks.
#ifndef WEFT_BRIDGE_BLOCKS_H
#define WEFT_BRIDGE_BLOCKS_H

#include <memory>

namespace clang
{
class ASTConsumer;
}

// Sees each declaration before code is made of it, and takes brackets off blocks.
std::unique_ptr<clang::ASTConsumer> weft_unbracket_blocks();

#endif

// Texts of others, for files that are made of lines and words, or that are JSON.
#ifndef WEFT_BASE_TEXT_UTF8_H
#define WEFT_BASE_TEXT_UTF8_H

// Replaces by question marks what is no character of UTF-8, and control characters. So the name of a kernel
// in SPIR-V, which is any text, can neither end a line nor make JSON invalid.
void weft_clean_text(char *text);

#endif

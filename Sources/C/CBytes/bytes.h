// Tests of sixteen bytes at once. Swift's vectors cannot say "none of these" in one step on every processor; these are the
// compilers' own vectors, and the same on all of them.
#pragma once

typedef unsigned char bs_block __attribute__((vector_size(16)));

static inline bs_block bs_load(const unsigned char *from) {
    bs_block block;
    __builtin_memcpy(&block, from, 16);
    return block;
}

static inline int bs_is_any(bs_block marks) {
    unsigned long long halves[2];
    __builtin_memcpy(halves, &marks, 16);
    return (halves[0] | halves[1]) != 0;
}

// Whether HTML shows all of sixteen bytes as they are, which it does not with & < > " ' backtick and controls. May say no for others.
static inline int bs_is_plain_html(const unsigned char *from) {
    bs_block block = bs_load(from);
    // With 0x22, 0x26 and 0x27 also 0x23; 0x3C and 0x3E.
    return !bs_is_any((bs_block)((block & 0xFA) == 0x22) | (bs_block)((block & 0xFD) == 0x3C)
        | (bs_block)(block == 0x60) | (bs_block)(block == 0x7F) | (bs_block)(block < 0x20));
}

// The same for a string of JSON in a script element: no " \ & < >, control, or 0xE2, which begins U+2028 and U+2029.
static inline int bs_is_plain_script(const unsigned char *from) {
    bs_block block = bs_load(from);
    return !bs_is_any((bs_block)((block & 0xFA) == 0x22) | (bs_block)((block & 0xFD) == 0x3C)
        | (bs_block)(block == 0x5C) | (bs_block)(block == 0x7F) | (bs_block)(block == 0xE2) | (bs_block)(block < 0x20));
}

// Whether text goes into HTML as it is and needs no second look: none of & < >, no control, and none of 0xC2 and 0xEF to 0xFF, with
// which all other controls begin, no-break spaces, and whatever is no character.
static inline int bs_is_plain_text(const unsigned char *from, long count) {
    long i = 0;
    for (; i + 16 <= count; i += 16) {
        bs_block block = bs_load(from + i);
        if (bs_is_any((bs_block)((block & 0xFD) == 0x3C) | (bs_block)(block == 0x26) | (bs_block)(block < 0x20)
                | (bs_block)(block == 0x7F) | (bs_block)(block == 0xC2) | (bs_block)(block >= 0xEF))) {
            return 0;
        }
    }
    for (; i < count; i++) {
        unsigned char byte = from[i];
        if (byte < 0x20 || byte == 0x26 || (byte & 0xFD) == 0x3C || byte == 0x7F || byte == 0xC2 || byte >= 0xEF) return 0;
    }
    return 1;
}

// How many bytes there are before the first & or < or control of ASCII but DEL.
static inline long bs_text_length(const unsigned char *from, long count) {
    long i = 0;
    for (; i + 16 <= count; i += 16) {
        bs_block block = bs_load(from + i);
        if (bs_is_any((bs_block)(block == 0x26) | (bs_block)(block == 0x3C) | (bs_block)(block < 0x20))) break;
    }
    while (i < count && from[i] != 0x26 && from[i] != 0x3C && from[i] >= 0x20) i++;
    return i;
}

enum {
    BS_BEYOND_ASCII = 1,
    // A control but tab, line feed and carriage return.
    BS_CONTROL = 2,
    BS_LINE_END_OR_TAB = 4,
    BS_TWO_SPACES = 8,
    // A byte that begins U+0080 to U+00BF: controls, a no-break space, a soft hyphen.
    BS_C2 = 16,
    // One that begins other white space: 0xE1, 0xE2 or 0xE3.
    BS_E1_TO_E3 = 32
};

// Which of the above some bytes have.
static inline int bs_traits(const unsigned char *from, long count) {
    int traits = 0, isSpace = 0;
    long i = 0;
    bs_block all = {0}, control = {0}, ends = {0}, spaces = {0}, c2 = {0}, e1 = {0};
    for (; i + 17 <= count; i += 16) {
        bs_block block = bs_load(from + i);
        bs_block end = (bs_block)(block == 0x09) | (bs_block)(block == 0x0A) | (bs_block)(block == 0x0D);
        all |= block;
        ends |= end;
        control |= ((bs_block)(block < 0x20) & ~end) | (bs_block)(block == 0x7F);
        spaces |= (bs_block)(block == 0x20) & (bs_block)(bs_load(from + i + 1) == 0x20);
        c2 |= (bs_block)(block == 0xC2);
        e1 |= (bs_block)((block - 0xE1) < 3);
    }
    if (i > 0) {
        if (bs_is_any(all & 0x80)) traits |= BS_BEYOND_ASCII;
        if (bs_is_any(control)) traits |= BS_CONTROL;
        if (bs_is_any(ends)) traits |= BS_LINE_END_OR_TAB;
        if (bs_is_any(spaces)) traits |= BS_TWO_SPACES;
        if (bs_is_any(c2)) traits |= BS_C2;
        if (bs_is_any(e1)) traits |= BS_E1_TO_E3;
    }
    for (; i < count; i++) {
        unsigned char byte = from[i];
        if (byte == 0x20) {
            if (isSpace) traits |= BS_TWO_SPACES;
        } else if (byte < 0x20) {
            traits |= byte == 0x09 || byte == 0x0A || byte == 0x0D ? BS_LINE_END_OR_TAB : BS_CONTROL;
        } else if (byte >= 0x7F) {
            traits |= byte == 0x7F ? BS_CONTROL : BS_BEYOND_ASCII;
            if (byte == 0xC2) traits |= BS_C2;
            if ((unsigned char)(byte - 0xE1) < 3) traits |= BS_E1_TO_E3;
        }
        isSpace = byte == 0x20;
    }
    return traits;
}

// Where the first sequence begins that is no well-formed UTF-8 (the Unicode Standard, table 3-7); -1 if there is none.
static inline long bs_utf8_fault(const unsigned char *from, long count) {
    long i = 0;
    while (i < count) {
        if (i + 16 <= count && !bs_is_any(bs_load(from + i) & 0x80)) {
            i += 16;
            continue;
        }
        for (long end = i + 16 < count ? i + 16 : count; i < end;) {
            unsigned char lead = from[i], low = 0x80, high = 0xBF;
            int more = 0;
            if (lead < 0x80) {
                i++;
                continue;
            }
            if (lead >= 0xC2 && lead <= 0xDF) {
                more = 1;
            } else if (lead >= 0xE0 && lead <= 0xEF) {
                more = 2;
                // No longer form than needed, and no surrogates.
                if (lead == 0xE0) low = 0xA0;
                if (lead == 0xED) high = 0x9F;
            } else if (lead >= 0xF0 && lead <= 0xF4) {
                more = 3;
                if (lead == 0xF0) low = 0x90;
                if (lead == 0xF4) high = 0x8F;
            }
            if (more == 0 || i + more >= count || from[i + 1] < low || from[i + 1] > high) return i;
            for (int k = 2; k <= more; k++) {
                if ((from[i + k] & 0xC0) != 0x80) return i;
            }
            i += more + 1;
        }
    }
    return -1;
}

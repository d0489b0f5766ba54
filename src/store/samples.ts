/** Number of hex characters of a sample's key. The keys of one session must differ, so 64 bits suffice. */
export const sampleKeyLength = 16;

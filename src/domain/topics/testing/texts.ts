import fc from 'fast-check';

/** Arbitrary text with many token boundaries. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udfff', '😀', '한', 'ﷺ', "'", '.', '?', ' ', 'a', 'é', '\n'),
    maxLength: 4096,
  }),
  fc
    .array(fc.constantFrom('not', 'my', 'boss', 'exam', 'lonely', 'i', 'died', 'rent', 'no', 'mom', '~', '!'), {
      maxLength: 900,
    })
    .map((words) => words.join(' ')),
);

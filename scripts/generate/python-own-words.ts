import * as words from '../../packages/text/own-words.js';

/** Returns the lists and patterns of the own words of a message, in Python. */
export function writeOwnWords(): string {
  const { prompts, tags, ownTags, ownSpeakers, forms, anyTag, resultHeader, leadIn, fence, mayHaveOthers } = words;
  const { speaker, spokenLine, quotedOthers, noWords, lineEnd, plainFence, quoteMark, namedFence } = words;
  const rows = prompts.map(({ begin, until, end }) =>
    ['    (', ...[begin, until, end].map((it) => `        ${it ? writePattern(it) : 'None'},`), '    ),'].join('\n'),
  );
  const patterns = {
    ...{ ANY_TAG: anyTag, RESULT_HEADER: resultHeader, LEAD_IN: leadIn },
    ...{
      FENCE: fence,
      MAY_HAVE_OTHERS: mayHaveOthers,
      SPEAKER: speaker,
      SPOKEN_LINE: spokenLine,
      QUOTED_OTHERS: quotedOthers,
      NO_WORDS: noWords,
      LINE_END: lineEnd,
    },
    ...{ PLAIN_FENCE: plainFence, QUOTE_MARK: quoteMark, NAMED_FENCE: namedFence },
  };
  return [
    'import re\n',
    ...[writeSet('TAGS', tags), writeSet('OWN_TAGS', ownTags), writeSet('OWN_SPEAKERS', ownSpeakers)],
    'PROMPTS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None, re.Pattern[str] | None], ...] = (',
    ...[...rows, ')'],
    'FORMS: tuple[re.Pattern[str], ...] = (',
    ...[...forms.map(([, form]) => `    ${writePattern(form)},`), ')'],
    ...Object.entries(patterns).map(([name, it]) => `${name} = ${writePattern(it)}`),
    '',
  ].join('\n');
}

function writeSet(name: string, values: ReadonlySet<string>): string {
  const items = [...values].sort().map((it) => `        ${JSON.stringify(it)},`);
  return [`${name} = frozenset(`, '    {', ...items, '    }', ')'].join('\n');
}

/** ASCII, because a class of letters in JavaScript is. */
function writePattern({ source, flags }: RegExp): string {
  const names = [
    'ASCII',
    ...(flags.includes('i') ? ['IGNORECASE'] : []),
    ...(flags.includes('m') ? ['MULTILINE'] : []),
  ];
  return `re.compile(r"${source.replaceAll('\\/', '/').replaceAll('"', '\\"')}", ${names.map((it) => `re.${it}`).join(' | ')})`;
}

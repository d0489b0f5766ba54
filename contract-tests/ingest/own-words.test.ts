import { readFileSync } from 'node:fs';
import { expect, test } from '../../testkit/test.js';

const cases: ReadonlyArray<{ from: string; text: string; own: string }> = JSON.parse(
  readFileSync(new URL('../../packages/text/own-words.cases.json', import.meta.url), 'utf8'),
);
const danger = 'I want to kill myself.';
const own = 'Can you help me with this letter?';

test('dangers of others are never findings of the person, and their own are, in every form', async ({ service }) => {
  const forms = cases.filter(({ from, text }) => from !== 'nothing closes the block' && text.includes('kill'));
  for (const [at, { text, own: kept }] of forms.entries()) {
    const post = (user_message: string) =>
      service.read({ session_id: `s${at}`, heart_rate: 70 + (user_message === text ? 0 : 1), user_message });
    const others = await post(text);
    expect([text, others.safety]).toEqual([text, undefined]);
    const status = kept === '' ? 'no_own_words' : 'analyzed';
    expect(others.text_analysis).toMatchObject({
      status,
      removed: [expect.any(String), ...(others.text_analysis?.removed ?? []).slice(1)],
    });
    // The person's own danger, where the question of the form is.
    const said = text.replaceAll(/I want to kill myself\. My mother died\./g, 'The match was in 1902.');
    if (!kept.includes(own)) continue;
    expect([text, (await post(said.replace(own, danger))).safety?.kind]).toEqual([text, 'suicidal_thoughts']);
  }
});

test('a message of nothing but quoted lines or a plain fence is the person’s', async ({ service }) => {
  for (const user_message of [`> ${danger}`, `> I want to\n> kill myself.`, `\`\`\`\n${danger}\n\`\`\``]) {
    const { safety, text_analysis } = await service.read({ session_id: 's1', user_message, derive_sentiment: true });
    expect([safety?.kind, text_analysis]).toEqual(['suicidal_thoughts', { status: 'analyzed' }]);
  }
});

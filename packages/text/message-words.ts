/**
 * Words that the heads of a message (severity and safety) read as others, and classes of words with a similar role.
 * Chosen by judgment. Training determines the weights.
 */

/** Spellings that are read as other words. Words have no apostrophes. */
export const spellings: Readonly<Record<string, string>> = {
  ...{ im: 'i am', ive: 'i have', u: 'you', ur: 'your', n: 'and', wanna: 'want to', gonna: 'going to' },
  ...{ gotta: 'got to', dont: 'do not', cant: 'can not', cannot: 'can not', wont: 'will not', didnt: 'did not' },
  ...{ isnt: 'is not', wasnt: 'was not', doesnt: 'does not', couldnt: 'could not', wouldnt: 'would not' },
  ...{ shouldnt: 'should not', havent: 'have not', hasnt: 'has not', hadnt: 'had not', aint: 'is not' },
  ...{ arent: 'are not', werent: 'were not', rn: 'right now', bc: 'because', cos: 'because', cuz: 'because' },
  ...{ thru: 'through', kms: 'kill myself', shall: 'will', upon: 'on', mum: 'mom', smth: 'something', ppl: 'people' },
};

/** Classes of words. If several classes contain a word, the last class applies. */
export const roles = [
  'i me my myself mine im ive id am',
  'he she him her his they them their wife husband son daughter mum mom dad friend brother sister mate colleague patient student client neighbor someone people who',
  'not never no dont cant wont didnt isnt wasnt without nothing nobody none nor neither hardly',
  'want wanna wish hope plan planning planned decided going gonna will mean intend ready need thinking thought think thoughts imagine shall might gotta',
  'die dying dead death suicide suicidal',
  'kill killing hang hanging overdose end ending jump drown shoot finish',
  'cut cutting burn burning burned hurt hurting harm harming scratch bleed bleeding blood razor blade knife scars punch bite',
  'hit hits beat beats slap slapped punched kicked kicks choke choked strangle rape raped threaten threatens threatened grabbed shoved follows stalking locks forced',
  'arm arms wrist wrists thigh thighs leg legs skin knuckles hand body',
  'pills tablets bridge train rope roof window gun insulin meds medicine tracks river belt medication platform',
  'life live living alive exist existence world here',
  'anymore longer over done goodbye letter letters note gone disappear sleep forever',
  'ago years used was had were once before since remember',
  'tonight now today again still tomorrow soon always every night',
  'song lyrics film movie book novel character story poem game episode series documentary article news play scene actor level boss',
  'lol haha lmao laughing joke literally',
  'doctor therapist counselor training course poster exam',
  'what how why which when can could do does',
  'himself herself themselves yourself',
  'you your',
] as const;

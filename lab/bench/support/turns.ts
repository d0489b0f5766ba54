/**
 * Sentences that people write to an assistant on an ordinary day. They are about several areas or small talk, and are
 * not from the lexicon.
 */
const saidByUser = [
  'My boss asked me to stay late again and I could not say no. ',
  'The exam is on Thursday and I have not even opened the second half of the book. ',
  'Rent is due on Friday and my card was declined at the supermarket this morning. ',
  'I slept maybe four hours, my head just would not stop. ',
  'My sister called about our mother, who has been ill since spring. ',
  'We had another argument about the dishes and he went to bed without a word. ',
  'My performance review is next week and I have no idea what they will say. ',
  'I have two offers now and I keep going back and forth between them. ',
  'The landlord wants to raise the rent, so we are looking at flats further out. ',
  'I finally went for a run today, and it felt surprisingly good. ',
  'My old friend from school moved away and the evenings are rather quiet. ',
  'The bus was late again and I missed the start of the meeting. ',
  'I keep thinking about what I said to her, it was not fair. ',
  'The kids were home sick all week, so nothing on my list got done. ',
  'We are planning a trip in summer, mostly arguing about where to go. ',
  'Anyway, how are you doing? ',
  'I made soup yesterday and there is enough left for three days. ',
  'The dentist found something and wants to see me again on Monday. ',
];
const saidByAssistant = [
  'That sounds like a lot to carry at once. ',
  'Thank you for telling me; let us look at one thing at a time. ',
  'What would be the smallest step that makes tomorrow a little easier? ',
  'You could write down the two or three points that matter most before the meeting. ',
  'It may help to put the phone away an hour before bed and to keep the room cool. ',
  'How did she react when you told her? ',
  'Many people find it easier to ask for help with one concrete task. ',
  'If the money is short this month, the bank may agree to move the date of the payment. ',
  'A short plan for the days until the exam would show you how much is really left. ',
  'I am glad that the run did you good. ',
  'Would you like to go through both offers side by side? ',
  'It is all right not to decide today. ',
];
const characters = { user: 200, assistant: 300 };

export interface DrawnTurn {
  readonly user_message: string;
  readonly ai_response: string;
}

/** Returns a turn with 200 characters of the user and 300 of the assistant. `random` returns numbers in [0, 1). */
export function drawTurn(random: () => number): DrawnTurn {
  return {
    user_message: drawText(saidByUser, characters.user, random),
    ai_response: drawText(saidByAssistant, characters.assistant, random),
  };
}

function drawText(sentences: readonly string[], length: number, random: () => number): string {
  let text = '';
  while (text.length < length) text += sentences[Math.floor(random() * sentences.length)];
  return text.slice(0, length);
}

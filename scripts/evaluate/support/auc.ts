/** A window of the comparison with the figure that a method gave it. */
export interface Scored {
  readonly score: number;
  readonly isStressor: boolean;
}

/** Area under the ROC curve: how often a stressor window has the higher score of two; ties count half. NaN without both kinds. */
export function auc(scored: readonly Scored[]): number {
  const ascending = [...scored].sort((a, b) => a.score - b.score);
  let wins = 0;
  let restsBelow = 0;
  for (let from = 0; from < ascending.length;) {
    const tied = ascending.slice(from, endOfTie(ascending, from));
    const stressors = tied.filter(({ isStressor }) => isStressor).length;
    const rests = tied.length - stressors;
    wins += stressors * (restsBelow + rests / 2);
    restsBelow += rests;
    from += tied.length;
  }
  return wins / (restsBelow * (scored.length - restsBelow));
}

function endOfTie(ascending: readonly Scored[], from: number): number {
  let end = from + 1;
  while (ascending[end]?.score === ascending[from]?.score && end < ascending.length) end += 1;
  return end;
}

/** The outcome of one check of `doctor`. The remedy is absent if nothing is to do. */
export interface Finding {
  readonly what: string;
  readonly found: string;
  readonly remedy?: string;
}

export function finding(what: string, found: string, isFine: boolean, remedy: string): Finding {
  return isFine ? { what, found } : problem(what, found, remedy);
}

export function problem(what: string, found: string, remedy: string): Finding {
  return { what, found, remedy };
}

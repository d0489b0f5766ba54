export declare function buildChanged(...names: Array<'program' | 'documentation'>): void;

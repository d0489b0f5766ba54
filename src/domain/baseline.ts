import { stressModel as model } from '../../generated/spec.js';

/** What heart rate (bpm) and SDNN (ln ms) are compared with; known 0 is the population, towards 1 the person's own. */
export interface Usual {
  readonly heart_rate: { readonly value: number; readonly known: number };
  readonly sdnn: { readonly value: number; readonly known: number };
}

export const populationUsual: Usual = {
  heart_rate: { value: model.heart_rate.population_bpm, known: 0 },
  sdnn: { value: model.sdnn.population_ln_ms, known: 0 },
};

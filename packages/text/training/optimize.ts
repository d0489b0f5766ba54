/** Returns the value of a function at `x`. Writes its gradient to `slope`, which contains zeros on entry. */
export type Objective = (x: Float64Array, slope: Float64Array) => number;

/** Number of stored steps that approximate the curvature. More than ten seldom help (Nocedal & Wright 2006, ch. 7). */
const MEMORY_STEPS = 7;
const HALVINGS_MAX = 20;
/** Armijo condition: a step must reach this share of the decrease that the gradient predicts. */
const DECREASE_MIN = 1e-4;
const GAIN_MIN = 1e-6;

interface Step {
  readonly x: Float64Array;
  readonly slope: Float64Array;
  readonly curvature: number;
}

/** Minimizes a smooth function in place with L-BFGS and backtracking. The same input gives the same result. */
export function minimise(
  x: Float64Array,
  objective: Objective,
  stepsMax: number,
  onStep: (step: number) => void,
): void {
  const steps: Step[] = [];
  let slope: Float64Array = new Float64Array(x.length);
  let value = objective(x, slope);
  for (let step = 1; step <= stepsMax; step++) {
    const before = { x: Float64Array.from(x), slope, value };
    const direction = computeDirection(slope, steps);
    const promise = dot(slope, direction);
    slope = new Float64Array(x.length);
    for (let halvings = 0, length = 1; halvings < HALVINGS_MAX; halvings++, length /= 2) {
      for (let i = 0; i < x.length; i++) x[i] = at(before.x, i) - length * at(direction, i);
      value = objective(x, slope.fill(0));
      if (value <= before.value - DECREASE_MIN * length * promise) break;
    }
    remember(steps, x, slope, before);
    onStep(step);
    if (Math.abs(before.value - value) < GAIN_MIN * Math.abs(before.value)) return;
  }
}

/**
 * Returns the next direction with the two-loop recursion of L-BFGS: multiplies the gradient by the approximate inverse
 * Hessian.
 */
function computeDirection(slope: Float64Array, steps: readonly Step[]): Float64Array {
  const direction = Float64Array.from(slope);
  const last = steps.at(-1);
  if (last === undefined) return scale(direction, 1 / Math.max(Math.sqrt(dot(slope, slope)), 1e-12));
  const parts: number[] = [];
  for (let i = steps.length - 1; i >= 0; i--) {
    const { x, slope: change, curvature } = steps[i] as Step;
    parts[i] = dot(x, direction) / curvature;
    add(direction, change, -(parts[i] as number));
  }
  scale(direction, last.curvature / dot(last.slope, last.slope));
  steps.forEach(({ x, slope: change, curvature }, i) => {
    add(direction, x, (parts[i] as number) - dot(change, direction) / curvature);
  });
  return direction;
}

function remember(
  steps: Step[],
  x: Float64Array,
  slope: Float64Array,
  before: { x: Float64Array; slope: Float64Array },
): void {
  const moved = x.map((value, i) => value - at(before.x, i));
  const change = slope.map((value, i) => value - at(before.slope, i));
  const curvature = dot(moved, change);
  // Skips a step without positive curvature, which would make the next direction an ascent.
  if (curvature <= 1e-12) return;
  steps.push({ x: moved, slope: change, curvature });
  if (steps.length > MEMORY_STEPS) steps.shift();
}

const at = (values: Float64Array, i: number): number => values[i] as number;

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += at(a, i) * at(b, i);
  return sum;
}

function add(to: Float64Array, values: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i++) to[i] = at(to, i) + factor * at(values, i);
}

function scale(values: Float64Array, factor: number): Float64Array {
  for (let i = 0; i < values.length; i++) values[i] = at(values, i) * factor;
  return values;
}

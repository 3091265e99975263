/** A mistake in an input, ready to be shown: it repeats no value. */
export interface InputProblem {
  input: string;
  message: string;
}

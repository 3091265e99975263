/** A problem with an input. The message quotes no value that may be secret. */
export interface InputProblem {
  input: string;
  message: string;
}

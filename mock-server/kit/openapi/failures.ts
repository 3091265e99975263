/** Said once in the description of a server: what every operation may come to, whatever it does. */
export const failuresOfAll = [
  "Beside what each operation lists, any may respond with 405 to a method that its path doesn't have, 500 where the server has a defect,",
  "and 507 where something can't be stored or is larger than the server can hold. The body of each is an object with a `detail`.",
].join(" ");

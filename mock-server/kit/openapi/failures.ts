/** A part of the API description: responses that any operation may have. */
export const failuresOfAll = [
  "Besides its listed responses, any operation may respond with 405 to a method that its path doesn't have, 500 for a defect of the server,",
  "and 507 where data can't be stored or is too large for the server. The body of each is an object with a `detail`.",
].join(" ");

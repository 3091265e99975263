/** A text of at most `maxLength` UTF-16 units. A longer one is cut behind a word, and ends in an ellipsis. */
export function shortenedText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = text.slice(0, maxLength - 1).toWellFormed();
  // Without a space in its last third, it is one long word.
  const end = text[room.length] === " " ? room.length : room.lastIndexOf(" ");
  return `${(end > maxLength / 1.5 ? room.slice(0, end) : room).trimEnd()}…`;
}

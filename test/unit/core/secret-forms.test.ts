import fc from "fast-check";
import { expect, test } from "vitest";
import { SecretForms } from "../../../core/redact.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "ab", "\ud83d", "\ude00", "é"), size: "medium" });

test("the result equals that of a regular expression with all forms, longest first", () => {
  const form = text.filter(({ length }) => length >= 4 && length <= 12);
  fc.assert(
    fc.property(fc.array(form, { maxLength: 20 }), fc.array(text, { maxLength: 20 }), (added, texts) => {
      const forms = new SecretForms();
      const known: string[] = [];
      for (const [index, one] of texts.entries()) {
        for (const given of added.slice(index * 2, index * 2 + 2)) {
          forms.add(given);
          known.push(given);
        }
        const byLength = known.toSorted((a, b) => b.length - a.length);
        const expected = known.length === 0 ? one : one.replace(new RegExp(byLength.join("|"), "g"), "[x]");
        expect(forms.replaceIn(one, "[x]")).toBe(expected);
      }
    }),
    { numRuns: 2000 },
  );
});

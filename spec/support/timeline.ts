/** Draws what happened as marbles: one character a frame, `(ab)` for what happened in the same one. */
export interface Timeline {
  /** Writes into a line of the diagram; lines come in the order of their first marks unless they are named. */
  readonly mark: (line: string, letter: string | number) => void;
  readonly draw: (lines: readonly string[]) => string;
}

interface Mark {
  readonly line: string;
  readonly letter: string;
  readonly frame: number;
}

/**
 * @param elapsed milliseconds since the beginning
 * @param frame milliseconds of a character
 */
export function timeline(elapsed: () => number, frame: number): Timeline {
  const marks: Mark[] = [];
  const lineOf = (name: string): string => {
    let drawn = '';
    for (const at of [...new Set(marks.filter(({ line }) => line === name).map((mark) => mark.frame))]) {
      const letters = marks.filter((mark) => mark.line === name && mark.frame === at).map(({ letter }) => letter);
      if (at < drawn.length) throw new Error(`${name}: no place for ${letters.join('')} at ${at} in ${drawn}`);
      drawn = drawn.padEnd(at, '-') + (letters.length > 1 ? `(${letters.join('')})` : letters.join(''));
    }
    return drawn;
  };
  return {
    mark: (line, letter) =>
      void marks.push({ line, letter: String(letter), frame: Math.floor(Math.round(elapsed()) / frame) }),
    draw: (lines) => {
      const width = Math.max(...lines.map((line) => line.length));
      return lines.map((line) => `${line.padEnd(width)}  ${lineOf(line)}`).join('\n');
    },
  };
}

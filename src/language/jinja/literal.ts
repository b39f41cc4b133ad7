/** Python's `literal_eval`: the value that a rendered text is written as, such as `1`, `True` or `['a']`. */
import { Dict, Float, List, integer } from './values';
import type { Value } from './values';

/** The text is no literal. */
class NoLiteral extends Error {}

const [LONGEST, DEEPEST] = [1_000_000, 90];

const BLANK = /(?:\s|\\\n|#[^\n]*)*/y;
const NUMBER =
  /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.?(?:(?<=\.)\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?/y;
const STRING =
  /([rRuU]?)(?:"""((?:[^\\]|\\[^])*?)"""|'''((?:[^\\]|\\[^])*?)'''|"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)')/y;
const WORD = /(?:True|False|None)(?!\w)/y;
const WORDS: Readonly<Record<string, Value>> = { True: true, False: false, None: null };
const ESCAPE = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[^])/g;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07', '\n': '' },
  ...{ '\\': '\\', "'": "'", '"': '"' },
};

/**
 * Returns the value that a text is written as, or the text itself if it is no literal of Python.
 *
 * @example literalOf('True') // true
 * @example literalOf('2024-01-01') // '2024-01-01'
 */
export function literalOf(text: string): Value {
  if (text.length > LONGEST || !/^[ \t]*[\s#([{'"+\-.\drRuUTFN\\]/.test(text)) return text;
  try {
    const reader = new Literals(text.replace(/^[ \t]+/, ''));
    return reader.whole();
  } catch (error) {
    if (error instanceof NoLiteral) return text;
    throw error;
  }
}

class Literals {
  private position = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found === null || found[0] === '') return undefined;
    this.position += found[0].length;
    return found;
  }

  private takes(character: string): boolean {
    this.match(BLANK);
    const found = this.text[this.position] === character;
    if (found) this.position += 1;
    return found;
  }

  private expect(character: string): void {
    if (!this.takes(character)) throw new NoLiteral();
  }

  whole(): Value {
    const value = this.elements(() => this.position === this.text.length);
    return value;
  }

  /** Reads one value, or several with commas between them, which are a tuple. */
  private elements(isEnd: () => boolean): Value {
    const ends = (): boolean => {
      this.match(BLANK);
      return isEnd();
    };
    const first = this.value();
    if (ends()) return first;
    const elements = [first];
    while (this.takes(',')) {
      if (ends()) return new List(elements, true);
      elements.push(this.value());
    }
    if (!ends()) throw new NoLiteral();
    return new List(elements, true);
  }

  private value(): Value {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new NoLiteral();
    const value = this.unnested();
    this.depth -= 1;
    return value;
  }

  private unnested(): Value {
    if (this.takes('[')) return new List(this.upTo(']', () => this.value()));
    if (this.takes('{')) return this.dict();
    if (this.takes('(')) {
      if (this.takes(')')) return new List([], true);
      const inside = this.elements(() => this.text[this.position] === ')');
      this.position += 1;
      return inside;
    }
    if (this.takes('-')) return this.signed(-1);
    if (this.takes('+')) return this.signed(1);
    const word = this.match(WORD);
    if (word !== undefined) return WORDS[word[0]] ?? null;
    return this.string() ?? this.number();
  }

  private dict(): Value {
    const entries = this.upTo('}', () => {
      const key = this.value();
      if (key instanceof List || key instanceof Dict) throw new NoLiteral();
      this.expect(':');
      return [key, this.value()] as const;
    });
    return new Dict(entries);
  }

  private upTo<T>(end: string, read: () => T): readonly T[] {
    const found: T[] = [];
    while (!this.takes(end)) {
      found.push(read());
      if (this.takes(end)) break;
      this.expect(',');
    }
    return found;
  }

  private signed(sign: 1 | -1): Value {
    this.match(BLANK);
    const value = this.number();
    if (value instanceof Float) return new Float(sign * value.number);
    return typeof value === 'bigint' ? BigInt(sign) * value : sign * value;
  }

  private number(): number | bigint | Float {
    const written = this.match(NUMBER)?.[0].replaceAll('_', '');
    // A letter or digit behind it, as in `2024a` or `3j`, makes it something else.
    if (written === undefined || written === '.' || /[\w.]/.test(this.text[this.position] ?? '')) throw new NoLiteral();
    if (/^0[xXoObB]/.test(written)) return integer(BigInt(written.toLowerCase()));
    if (/[.eE]/.test(written)) {
      if (/^[eE]/.test(written)) throw new NoLiteral();
      return new Float(Number(written));
    }
    if (/^0\d*[1-9]/.test(written)) throw new NoLiteral();
    return integer(BigInt(written));
  }

  private string(): string | undefined {
    let text: string | undefined;
    for (;;) {
      this.match(BLANK);
      const found = this.match(STRING);
      if (found === undefined) return text;
      const [, prefix = '', ...contents] = found;
      const content = contents.find((each) => (each as string | undefined) !== undefined) ?? '';
      text = (text ?? '') + (/r/i.test(prefix) ? content : unescaped(content));
    }
  }
}

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (written, escape: string) => {
    if (/^[xuU]/.test(escape) && escape.length > 1) return String.fromCodePoint(parseInt(escape.slice(1), 16));
    if (/^[0-7]/.test(escape)) return String.fromCodePoint(parseInt(escape, 8));
    return ESCAPES[escape] ?? written;
  });

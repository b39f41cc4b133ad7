/** The grammar of templates: text, outputs and statements, and the names that they read (docs/language/jinja.md). */
import { JinjaSyntaxError, Reader, STRING, at } from './expressions';
import type { Expr } from './expressions';

/** A piece of a template. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expr }
  | { readonly kind: 'set'; readonly names: readonly string[]; readonly value: Expr }
  | { readonly kind: 'set-text'; readonly name: string; readonly body: Template }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly condition: Expr; readonly body: Template }[];
      readonly otherwise: Template;
    }
  | {
      readonly kind: 'for';
      readonly names: readonly string[];
      readonly over: Expr;
      readonly condition?: Expr;
      readonly body: Template;
      readonly otherwise: Template;
    };

export type Template = readonly Block[];

/** The most characters of a template. */
const LONGEST = 100_000;

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly code: string }
  | { readonly kind: 'statement'; readonly keyword: string; readonly code: string };

const TAG = /\{\{([-+]?)|\{%([-+]?)|\{#-?/g;
const RAW = /\{%-?\s*raw\s*-?%\}([^]*?)\{%-?\s*endraw\s*-?%\}/y;
const CLOSING = { '{{': /(-?)\}\}/y, '{%': /(-?)%\}/y } as const;

/** Divides a template at its tags; `-` beside a brace removes the white space on that side. */
function piecesOf(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let isTrimmed = false;
  const text = (written: string): void => {
    const kept = isTrimmed ? written.trimStart() : written;
    if (kept !== '') pieces.push({ kind: 'text', text: kept });
    isTrimmed = false;
  };
  for (;;) {
    TAG.lastIndex = from;
    const tag = TAG.exec(template);
    if (tag === null) {
      text(template.slice(from));
      return pieces;
    }
    const before = template.slice(from, tag.index);
    text(tag[0].endsWith('-') ? before.trimEnd() : before);
    const raw = at(RAW, template, tag.index);
    if (raw !== undefined) {
      RAW.lastIndex = tag.index;
      text(RAW.exec(template)?.[1] ?? '');
      from = tag.index + raw.length;
      continue;
    }
    const start = tag.index + tag[0].length;
    const end = tag[0].startsWith('{#') ? commentEnd(template, start) : codeEnd(template, start, tag[0]);
    from = end.after;
    isTrimmed = end.trims;
    const code = template.slice(start, end.at);
    if (tag[0].startsWith('{{')) pieces.push({ kind: 'output', code });
    else if (tag[0].startsWith('{%')) {
      const [, keyword = '', rest = ''] = /^\s*(\w*)([^]*)$/.exec(code) ?? [];
      pieces.push({ kind: 'statement', keyword, code: rest });
    }
  }
}

interface TagEnd {
  readonly at: number;
  readonly after: number;
  readonly trims: boolean;
}

function commentEnd(template: string, start: number): TagEnd {
  const found = template.indexOf('#}', start);
  if (found < 0) throw new JinjaSyntaxError('expected "#}"');
  return { at: found, after: found + 2, trims: template[found - 1] === '-' };
}

/** Finds the end of a tag, which is not inside a string or a bracket: `{{ {'a': {}} }}`. */
function codeEnd(template: string, start: number, tag: string): TagEnd {
  const closing = tag.startsWith('{{') ? CLOSING['{{'] : CLOSING['{%'];
  let open = 0;
  for (let from = start; from < template.length;) {
    const end = open === 0 ? at(closing, template, from) : undefined;
    if (end !== undefined) return { at: from, after: from + end.length, trims: end.startsWith('-') };
    const string = at(STRING, template, from);
    const character = template[from] ?? '';
    if ('([{'.includes(character)) open += 1;
    else if (')]}'.includes(character)) open = Math.max(0, open - 1);
    from += string?.length ?? 1;
  }
  throw new JinjaSyntaxError(`expected ${tag.startsWith('{{') ? '"}}"' : '"%}"'}`);
}

/** Reads an expression up to the end of its tag. */
function whole(code: Reader): Expr {
  const found = code.whole();
  code.end();
  return found;
}

/** Reads the pieces of a template into blocks. */
class Blocks {
  private position = 0;

  constructor(private readonly pieces: readonly Piece[]) {}

  /** Reads blocks up to one of the statements, which the caller takes; without any, to the end of the template. */
  read(...ends: readonly string[]): Template {
    const blocks: Block[] = [];
    for (;;) {
      const piece = this.pieces[this.position];
      if (piece === undefined) {
        if (ends.length > 0) throw new JinjaSyntaxError(`expected {% ${ends.at(-1)} %}`);
        return blocks;
      }
      if (piece.kind === 'statement' && ends.includes(piece.keyword)) return blocks;
      this.position += 1;
      if (piece.kind === 'text') blocks.push(piece);
      else if (piece.kind === 'output') blocks.push({ kind: 'output', value: whole(new Reader(piece.code)) });
      else blocks.push(this.statement(piece.keyword, new Reader(piece.code)));
    }
  }

  private statement(keyword: string, code: Reader): Block {
    switch (keyword) {
      case 'if':
        return this.branches(code);
      case 'for':
        return this.loop(code);
      case 'set':
        return this.assignment(code);
      default:
        throw new JinjaSyntaxError(`the statement {% ${keyword} %} is not supported`);
    }
  }

  /** Takes the statement at which {@link read} stopped. */
  private take(): { readonly keyword: string; readonly code: Reader } {
    const piece = this.pieces[this.position];
    this.position += 1;
    if (piece?.kind !== 'statement') throw new JinjaSyntaxError('expected a statement');
    return { keyword: piece.keyword, code: new Reader(piece.code) };
  }

  private branches(first: Reader): Block {
    const branches = [];
    let next: { readonly keyword: string; readonly code: Reader } = { keyword: 'if', code: first };
    while (next.keyword === 'if' || next.keyword === 'elif') {
      branches.push({ condition: whole(next.code), body: this.read('elif', 'else', 'endif') });
      next = this.take();
    }
    const otherwise = this.otherwise(next.keyword, 'endif');
    return { kind: 'if', branches, otherwise };
  }

  private loop(code: Reader): Block {
    const names = code.names();
    if (!code.keyword('in')) throw new JinjaSyntaxError('expected "in"');
    const over = code.either();
    const condition = code.keyword('if') ? code.expression() : undefined;
    code.end();
    const body = this.read('else', 'endfor');
    const otherwise = this.otherwise(this.take().keyword, 'endfor');
    return { kind: 'for', names, over, ...(condition === undefined ? {} : { condition }), body, otherwise };
  }

  private otherwise(keyword: string, end: string): Template {
    if (keyword !== 'else') return [];
    const body = this.read(end);
    this.take();
    return body;
  }

  private assignment(code: Reader): Block {
    const names = code.names();
    const [name = ''] = names;
    if (code.isAtEnd) {
      const body = this.read('endset');
      this.take();
      return { kind: 'set-text', name, body };
    }
    if (!code.sign('=')) throw new JinjaSyntaxError('expected "="');
    return { kind: 'set', names, value: whole(code) };
  }
}

/**
 * Reads a template of Jinja.
 *
 * @throws JinjaSyntaxError
 * @example parseJinja("{{ config['url'] }}/v1") // an output and a text
 */
export function parseJinja(template: string): Template {
  if (template.length > LONGEST) throw new JinjaSyntaxError(`longer than ${LONGEST} characters`);
  return new Blocks(piecesOf(template.replace(/\r?\n$/, ''))).read();
}

/** Returns the names that a template reads, without those that it sets itself before. */
export const namesIn = (template: Template): ReadonlySet<string> => new Set(namesOfBlocks(template, new Set()));

/** @param known the names that are set already; those that the blocks set are added */
const namesOfBlocks = (template: Template, known: Set<string>): readonly string[] =>
  template.flatMap((block) => namesOfBlock(block, known));

function namesOfBlock(block: Block, known: Set<string>): readonly string[] {
  const read = (...parts: readonly Expr[]): readonly string[] =>
    parts.flatMap(namesOf).filter((name) => !known.has(name));
  switch (block.kind) {
    case 'text':
      return [];
    case 'output':
      return read(block.value);
    case 'set': {
      const names = read(block.value);
      block.names.forEach((name) => known.add(name));
      return names;
    }
    case 'set-text': {
      const names = namesOfBlocks(block.body, new Set(known));
      known.add(block.name);
      return names;
    }
    case 'if':
      return [
        ...block.branches.flatMap(({ condition, body }) => [...read(condition), ...namesOfBlocks(body, known)]),
        ...namesOfBlocks(block.otherwise, known),
      ];
    case 'for': {
      const inside = new Set([...known, ...block.names, 'loop']);
      return [
        ...read(block.over),
        ...(block.condition === undefined ? [] : namesOf(block.condition).filter((name) => !inside.has(name))),
        ...namesOfBlocks(block.body, inside),
        ...namesOfBlocks(block.otherwise, known),
      ];
    }
  }
}

/** Returns the names in an expression. */
const namesOf = (expr: Expr): readonly string[] =>
  expr.kind === 'name' ? [expr.name] : partsOf(expr).flatMap((part) => (part === undefined ? [] : namesOf(part)));

/** Returns the expressions right inside another one. */
function partsOf(expr: Expr): readonly (Expr | undefined)[] {
  switch (expr.kind) {
    case 'constant':
    case 'name':
      return [];
    case 'attribute':
    case 'sign':
    case 'not':
      return [expr.of];
    case 'item':
      return [expr.of, expr.key];
    case 'slice':
      return [expr.of, expr.from, expr.to, expr.step];
    case 'list':
    case 'tuple':
      return expr.elements;
    case 'dict':
      return expr.entries.flat();
    case 'both':
    case 'either':
    case 'joined':
    case 'arithmetic':
      return [expr.left, expr.right];
    case 'comparison':
      return [expr.first, ...expr.others.map(([, other]) => other)];
    case 'choice':
      return [expr.condition, expr.then, expr.otherwise];
    case 'call':
    case 'filter':
    case 'test':
      return [expr.of, ...expr.args, ...expr.named.map(([, value]) => value)];
  }
}

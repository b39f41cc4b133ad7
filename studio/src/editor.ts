/** Editors: that of the configuration, which knows the schema, and that of SQL. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completeFromList,
  completionKeymap,
} from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { sql, StandardSQL } from '@codemirror/lang-sql';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { pathOf, rangeOf, spotAt, valueOf } from './place';
import type { Language } from './place';
import { aboutAt, keysAt, valuesAt } from './schema';
import type { Offer, Schema } from './schema';
import type { Fault } from './server';

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: 'tok-key' },
  { tag: [tags.string, tags.special(tags.string)], class: 'tok-string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'tok-number' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.typeName], class: 'tok-keyword' },
  { tag: tags.comment, class: 'tok-comment' },
]);

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

/**
 * Replaces a selection by what is typed. Chromium would give that a style of its own, which the policy of the page refuses with an error in
 * the console.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    const insert = () => view.state.update({ ...view.state.replaceSelection(data), userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

const common = (label: string): Extension => [
  typedOver,
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  syntaxHighlighting(colours),
  EditorView.cspNonce.of(nonce),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...completionKeymap]),
];

export interface ConfigurationEditor {
  readonly view: EditorView;
  /** Replaces the text as an edit that can be undone. */
  readonly setText: (text: string) => void;
  readonly show: (faults: readonly Fault[], warnings: readonly Fault[]) => void;
  readonly goTo: (path: string) => void;
}

/**
 * Tab leaves the editor, as everywhere: the keyboard reaches all of the page.
 *
 * @param schema gives the schema as soon as it is there
 */
export function configurationEditor(
  parent: HTMLElement,
  language: Language,
  text: string,
  schema: () => Schema | undefined,
  onText: (text: string) => void,
): ConfigurationEditor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        common('Configuration'),
        lineNumbers(),
        foldGutter(),
        highlightActiveLine(),
        language === 'yaml' ? yaml() : json(),
        keymap.of([...foldKeymap, ...lintKeymap]),
        autocompletion({ icons: false, override: [(context) => complete(context, language, schema())] }),
        hoverTooltip(({ state }, position) => {
          const root = schema();
          const content = state.doc.toString();
          const { path, isKey } = spotAt(content, language, position);
          const word = state.wordAt(position);
          const key = word === null ? '' : state.sliceDoc(word.from, word.to);
          if (root === undefined || word === null) return null;
          const about = aboutAt(root, valueOf(content, language), isKey ? [...path, key] : path);
          return about === undefined
            ? null
            : { pos: word.from, end: word.to, create: () => ({ dom: paragraph(about) }) };
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onText(update.state.doc.toString());
        }),
      ],
    }),
  });
  const rangeAt = (path: string) => rangeOf(view.state.doc.toString(), language, pathOf(path));
  return {
    view,
    setText: (next) => {
      if (next !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    show: (faults, warnings) => {
      const diagnosticsOf = (all: readonly Fault[], severity: 'error' | 'warning') =>
        all.map(({ path, message, part }) => ({
          ...rangeAt(part === undefined ? path : 'extends'),
          severity,
          message: path === '' ? message : `${path}: ${message}`,
        }));
      view.dispatch(
        setDiagnostics(view.state, [...diagnosticsOf(faults, 'error'), ...diagnosticsOf(warnings, 'warning')]),
      );
    },
    goTo: (path) => {
      const { from } = rangeAt(path);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
      view.focus();
    },
  };
}

/**
 * @param names what to offer beside the words of SQL: tables and columns
 * @param onRun is called for Ctrl-Enter
 */
export const sqlEditor = (
  parent: HTMLElement,
  text: string,
  names: readonly string[],
  onRun: (text: string) => void,
): EditorView =>
  new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          {
            key: 'Mod-Enter',
            run: (view) => {
              closeCompletion(view);
              onRun(view.state.doc.toString());
              return true;
            },
          },
        ]),
        common('SQL'),
        sql(),
        StandardSQL.language.data.of({ autocomplete: completeFromList([...new Set(names)]) }),
        autocompletion({ icons: false }),
      ],
    }),
  });

function complete(context: CompletionContext, language: Language, root: Schema | undefined): CompletionResult | null {
  const word = context.matchBefore(/["']?[\w.#-]*/);
  if (root === undefined || word === null || (word.from === word.to && !context.explicit)) return null;
  const text = context.state.doc.toString();
  const { path, isKey } = spotAt(text, language, context.pos);
  const value = valueOf(text, language);
  const offers = isKey ? keysAt(root, value, path) : valuesAt(root, value, path);
  const quoted = language === 'json' && context.state.sliceDoc(context.pos, context.pos + 1) === '"' ? 1 : 0;
  return {
    from: word.from,
    to: context.pos + quoted,
    options: offers.map((offer) => option(offer, isKey, language)),
    filter: true,
  };
}

function option({ label, about, schema }: Offer, isKey: boolean, language: Language): Completion {
  const bare = label.replace(/^"|"$/g, '');
  const key = language === 'yaml' ? `${bare}: ` : `"${bare}": `;
  const shown = { info: () => paragraph(about), detail: typeof schema.type === 'string' ? schema.type : '' };
  const value = language === 'yaml' ? bare : label;
  return { ...shown, label: language === 'json' ? `"${bare}"` : bare, displayLabel: bare, apply: isKey ? key : value };
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p');
  element.className = 'about';
  element.textContent = text;
  return element;
}

/** Whether what `{@link …}` names in comments exists, and in the comments of what is public, whether it is public as well. */
import { relative } from 'node:path';
import ts from 'typescript';
import { exportsOf, original, ROOT, statementOf } from './entries.mjs';

/** Links that lead nowhere, or from what is public to what is not: sentences. */
export function brokenLinks(program, entries) {
  const checker = program.getTypeChecker();
  const open = new Set(
    entries.flatMap(({ source }) => exportsOf(program, `${ROOT}/${source}`)).map(({ symbol }) => symbol),
  );
  const openStatements = new Set([...open].flatMap(({ declarations }) => declarations.map(statementOf)));
  const complaints = [];
  for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${ROOT}/src/`)))
    for (const statement of file.statements) {
      const isPublic = openStatements.has(statement);
      for (const link of linksIn(statement)) {
        const text = link.getText().replace(/\s+/g, ' ');
        const place = `${relative(ROOT, file.fileName)}:${file.getLineAndCharacterOfPosition(link.pos).line + 1}`;
        const found = link.name === undefined ? undefined : checker.getSymbolAtLocation(link.name);
        const target = found === undefined ? undefined : original(checker, found);
        if (target?.declarations === undefined)
          complaints.push(`${place}: ${text} leads nowhere: import it, or write \`it\`.`);
        else if (isPublic && !target.declarations.some(isOpen))
          complaints.push(`${place}: ${text} leads to what no entry exports: export it, or say it otherwise.`);
      }
    }
  return complaints;

  /** Members are as public as what they belong to; what is not of this project is public. */
  function isOpen(declaration) {
    if (!declaration.getSourceFile().fileName.startsWith(`${ROOT}/src/`)) return true;
    for (let node = declaration; node !== undefined; node = node.parent) if (openStatements.has(node)) return true;
    return false;
  }
}

function linksIn(statement) {
  const links = [];
  const visit = (node) => {
    if (ts.isJSDocLink(node)) links.push(node);
    for (const comment of node.jsDoc ?? []) visit(comment);
    if (ts.isJSDoc(node) && typeof node.comment === 'object') node.comment.forEach(visit);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return [...new Set(links)];
}

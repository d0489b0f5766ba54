import ts from 'typescript';

/** One small change of a source file: the characters from `start` to `end` become `replacement`. */
export interface Change {
  readonly kind: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** True outside of functions: the code runs once per process, when its module is imported. */
  readonly isTopLevel: boolean;
  /** The expression, arguments or statement that contain the change. */
  readonly around: { readonly start: number; readonly end: number; readonly form: Form };
}

type Form = 'expression' | 'arguments' | 'statement';
type Add = (kind: string, first: ts.Node, replacement: string, form: Form, last?: ts.Node, around?: ts.Node) => void;

const shiftedEdges = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
]);
const swappedOperators = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);
/** Calls that write the log or metrics. Tests of a feature do not have to notice their absence. */
const observing = /^(?:await )?(?:\w+\.)*(?:log|logger|metrics)\b/;

/** Returns all small changes of a TypeScript file, in the order of the file. */
export function listChanges(path: string, text: string): Change[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const add: Add = (kind, first, replacement, form, last = first, around) => {
    const start = first.getStart();
    const end = last.getEnd();
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const outer = { start: around?.getStart() ?? start, end: around?.getEnd() ?? end, form };
    const isTopLevel = ts.findAncestor(first, ts.isFunctionLike) === undefined;
    changes.push({ kind, line, start, end, replacement, isTopLevel, around: outer });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    listOf(node, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return changes;
}

/**
 * Returns the text with all changes in it. A change has an effect while `isChanged` returns true for its number. Without
 * an effect, the code is the same.
 */
export function switchChanges(text: string, numbered: ReadonlyMap<number, Change>): string {
  // The outermost change comes first. Its unchanged form contains the inner ones.
  const ordered = [...numbered].sort(([, { around: a }], [, { around: b }]) => a.start - b.start || b.end - a.end);
  const render = (start: number, end: number, from: number): string => {
    let written = start;
    let result = '';
    for (const [at, [number, change]] of ordered.entries()) {
      const { around } = change;
      if (at < from || around.start < written || around.end > end) continue;
      const changed = text.slice(around.start, change.start) + change.replacement + text.slice(change.end, around.end);
      const unchanged = render(around.start, around.end, at + 1);
      result += text.slice(written, around.start) + choose(around.form, `isChanged(${number})`, changed, unchanged);
      written = around.end;
    }
    return result + text.slice(written, end);
  };
  return render(0, text.length, 0);
}

function choose(form: Form, condition: string, changed: string, unchanged: string): string {
  if (form === 'statement') return `{ if (${condition}) { ${changed} } else { ${unchanged} } }`;
  if (form === 'arguments') return `...(${condition} ? [${changed}] : [${unchanged}])`;
  return `(${condition} ? (${changed}) : (${unchanged}))`;
}

function listOf(node: ts.Node, add: Add): void {
  if (ts.isIfStatement(node)) {
    negate(node.expression, add);
    if (!node.elseStatement && !ts.isBlock(node.thenStatement)) add('check removed', node, ';', 'statement');
  } else if (ts.isConditionalExpression(node)) {
    negate(node.condition, add);
  } else if (ts.isBinaryExpression(node)) {
    const edge = shiftedEdges.get(node.operatorToken.kind);
    if (edge) add('edge shifted', node.operatorToken, edge, 'expression', undefined, node);
    const operator = swappedOperators.get(node.operatorToken.kind);
    if (operator) add('operator swapped', node.operatorToken, operator, 'expression', undefined, node);
  } else if (ts.isExpressionStatement(node)) {
    if (isCall(node.expression) && !observing.test(node.getText())) add('call removed', node, ';', 'statement');
  } else if (ts.isCallExpression(node)) {
    const [first, second] = node.arguments;
    if (!first || !second || !ts.isIdentifier(first) || !ts.isIdentifier(second)) return;
    add('arguments swapped', first, `${second.text}, ${first.text}`, 'arguments', second);
  } else if (ts.isNumericLiteral(node) && !(ts.isPropertyAssignment(node.parent) && node.parent.name === node)) {
    const changed = Number(node.text) < 10 ? `${node.text} + 1` : `${node.text} * 2`;
    add('constant changed', node, changed, 'expression');
  }
}

const negate = (condition: ts.Expression, add: Add): void =>
  add('condition negated', condition, `!(${condition.getText()})`, 'expression');

const isCall = (node: ts.Expression): boolean =>
  ts.isCallExpression(ts.isAwaitExpression(node) ? node.expression : node);

import ts from 'typescript';

/** One small change of a source file: the characters from `start` to `end` become `replacement`. */
export interface Change {
  readonly kind: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

type Add = (kind: string, first: ts.Node, replacement: string, last?: ts.Node) => void;

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
  const add: Add = (kind, first, replacement, last = first) => {
    const start = first.getStart();
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    changes.push({ kind, line, start, end: last.getEnd(), replacement });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    listOf(node, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return changes;
}

function listOf(node: ts.Node, add: Add): void {
  if (ts.isIfStatement(node)) {
    negate(node.expression, add);
    if (!node.elseStatement && !ts.isBlock(node.thenStatement)) add('check removed', node, ';');
  } else if (ts.isConditionalExpression(node)) {
    negate(node.condition, add);
  } else if (ts.isBinaryExpression(node)) {
    const edge = shiftedEdges.get(node.operatorToken.kind);
    if (edge) add('edge shifted', node.operatorToken, edge);
    const operator = swappedOperators.get(node.operatorToken.kind);
    if (operator) add('operator swapped', node.operatorToken, operator);
  } else if (ts.isExpressionStatement(node)) {
    if (isCall(node.expression) && !observing.test(node.getText())) add('call removed', node, ';');
  } else if (ts.isCallExpression(node)) {
    const [first, second] = node.arguments;
    if (!first || !second || !ts.isIdentifier(first) || !ts.isIdentifier(second)) return;
    add('arguments swapped', first, `${second.text}, ${first.text}`, second);
  } else if (ts.isNumericLiteral(node)) {
    add('constant changed', node, Number(node.text) < 10 ? `${node.text} + 1` : `${node.text} * 2`);
  }
}

const negate = (condition: ts.Expression, add: Add): void =>
  add('condition negated', condition, `!(${condition.getText()})`);

const isCall = (node: ts.Expression): boolean =>
  ts.isCallExpression(ts.isAwaitExpression(node) ? node.expression : node);

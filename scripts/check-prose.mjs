/**
 * `npm run check:prose`: plain English in comments, docs, help texts and screens, as docs/how-to/write-plainly.md says.
 * It prints each place as `file:line: rule: text` and fails if there is one. Arguments narrow it to files that start with one
 * of them; `--count` prints totals by folder.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { exceptions } from './prose-exceptions.mjs';

const startWords = /^(what|who|whoever|whose|whether|of|where)\b/i;
const idioms = /\b(stands? in|(?:is|are) told|whoever|nobody|but for)\b/i;
/** The first words of SQL statements, which are not prose. */
const sqlWords = /^(select|insert|update|delete|with|create|alter)\b/;
const maxWords = 35;
const prefixes = process.argv.slice(2).filter((word) => !word.startsWith('-'));

/** @typedef {{ file: string, line: number, rule: string, text: string }} Finding */

/** @type {Finding[]} */
const findings = [];
for (const file of listFiles()) {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) checkMarkdown(file, text);
  else checkCode(file, text);
}
report(findings.filter((one) => !isException(one)));

function listFiles() {
  const listed = execFileSync('git', ['ls-files', '*.ts', '*.mts', '*.mjs', '*.md'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return listed
    .split('\n')
    .filter((file) => file !== '' && !/^scripts\/(check-prose|prose-exceptions)/.test(file))
    .filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)));
}

/**
 * @param {string} file
 * @param {string} text
 */
function checkCode(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const seen = new Set();
  const isSpoken = isSpokenFile(file);
  /** @param {ts.Node} node */
  const walk = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const range of ranges)
      if (!seen.has(range.pos)) {
        seen.add(range.pos);
        checkComment(file, text, range);
      }
    if (
      (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) &&
      (isSpoken || isTitle(node))
    )
      checkString(file, text, node);
    ts.forEachChild(node, walk);
  };
  walk(source);
}

/**
 * True for the files whose string literals are checked: help texts, pages, errors, log lines, metric helps and API
 * descriptions. The Swahili texts are not checked, and of specs only the titles of tests are.
 * @param {string} file
 */
function isSpokenFile(file) {
  // A list of the wordings that no text may have.
  if (file === 'libs/testing/src/old-words.ts') return false;
  if (/\.spec\.m?ts$/.test(file) || file.endsWith('texts.sw.ts')) return false;
  return /^(apps|libs|bench|simulation|scripts)\//.test(file);
}

/**
 * @param {ts.LiteralLikeNode} node
 * @returns {boolean} true if it is the title of a test, or a part of one
 */
function isTitle(node) {
  /** @type {ts.Node} */
  let title = node;
  if (ts.isTemplateSpan(title.parent)) title = title.parent;
  if (ts.isTemplateExpression(title.parent)) title = title.parent;
  const call = title.parent;
  return (
    ts.isCallExpression(call) &&
    call.arguments[0] === title &&
    /^(describe|it)\b/.test(call.expression.getText())
  );
}

/**
 * @param {string} file
 * @param {string} text
 * @param {ts.CommentRange} range
 */
function checkComment(file, text, { pos, end }) {
  const raw = text.slice(pos, end);
  const words = raw
    .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
    .replaceAll(/\n\s*\*? ?/g, '\n')
    .trim();
  const line = lineOf(text, pos);
  for (const paragraph of words.split(/\n(?=@)|\n\s*\n/)) {
    const plain = paragraph
      .replace(/^@\w+ (?:\w+ )?/, '')
      .replaceAll('\n', ' ')
      .trim();
    // The text of a tag continues the tag's own name, as in `@returns whether …`.
    const sentences = paragraph.startsWith('@') ? sentencesOf(plain).slice(1) : sentencesOf(plain);
    for (const sentence of sentences)
      if (startWords.test(sentence)) add(file, line, 'starts with', sentence);
    const idiom = idioms.exec(plain);
    if (idiom) add(file, line, `idiom "${idiom[0]}"`, plain);
  }
}

/**
 * @param {string} file
 * @param {string} text
 * @param {ts.LiteralLikeNode} node
 */
function checkString(file, text, node) {
  const words = node.text.trim();
  if (!/\s/.test(words) || sqlWords.test(words)) return;
  const line = lineOf(text, node.getStart());
  if (startWords.test(words) && !continuesSentence(node))
    add(file, line, 'string starts with', words);
  const idiom = idioms.exec(words);
  if (idiom) add(file, line, `string idiom "${idiom[0]}"`, words);
}

/**
 * True if words come before the literal: it follows another with `+`, or is a part of a template.
 * @param {ts.LiteralLikeNode} node
 */
function continuesSentence(node) {
  if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) return true;
  /** @type {ts.Node} */
  let inner = ts.isTemplateHead(node) ? node.parent : node;
  while (isChoice(inner.parent)) inner = inner.parent;
  const outer = inner.parent;
  if (ts.isTemplateSpan(outer)) return true;
  return isOperation(outer, ts.SyntaxKind.PlusToken) && outer.right === inner;
}

/** @param {ts.Node} node */
function isChoice(node) {
  return (
    ts.isConditionalExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    isOperation(node, ts.SyntaxKind.QuestionQuestionToken)
  );
}

/**
 * @param {ts.Node} node
 * @param {ts.SyntaxKind} operator
 * @returns {node is ts.BinaryExpression} true if it has that operator
 */
function isOperation(node, operator) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === operator;
}

/**
 * @param {string} file
 * @param {string} text
 */
function checkMarkdown(file, text) {
  let isCode = false;
  /** @type {{ line: number, text: string }[]} */
  const blocks = [];
  let open;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode;
      open = undefined;
      continue;
    }
    if (isCode) continue;
    if (/^\s*$/.test(line)) open = undefined;
    else if (/^#+ /.test(line) || /^\s*([-*]|\d+\.) /.test(line) || !open) {
      open = { line: index + 1, text: line };
      blocks.push(open);
      if (/^#+ /.test(line)) open = undefined;
    } else if (/^\s*\|/.test(line)) blocks.push({ line: index + 1, text: line });
    else open.text += ` ${line.trim()}`;
  }
  for (const block of blocks)
    for (const cell of block.text.startsWith('|') ? block.text.split('|') : [block.text])
      checkProse(file, block.line, cell);
}

/**
 * @param {string} file
 * @param {number} line
 * @param {string} raw
 */
function checkProse(file, line, raw) {
  const plain = raw
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#+|[-*]|\d+\.|>)\s+/, '')
    .replaceAll(/\*\*([A-Z]+-\d+)\*\*/g, '')
    .replaceAll(/[*_]/g, '')
    .trim();
  for (const sentence of sentencesOf(plain)) {
    if (startWords.test(sentence)) add(file, line, 'starts with', sentence);
    const count = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
    if (count > maxWords) add(file, line, `${count} words`, sentence);
  }
  const idiom = idioms.exec(plain);
  if (idiom) add(file, line, `idiom "${idiom[0]}"`, plain);
}

/** @param {string} text */
function sentencesOf(text) {
  return text
    .split(/(?<=[.!?])\s+(?=["“(]?[A-Z])/)
    .map((sentence) => sentence.trim())
    .filter(Boolean);
}

function add(file, line, rule, text) {
  findings.push({ file, line, rule, text });
}

function lineOf(text, position) {
  return text.slice(0, position).split('\n').length;
}

/** @param {Finding} finding */
function isException({ file, text }) {
  return exceptions.some((one) => file === one.file && text.includes(one.text));
}

/** @param {readonly Finding[]} left */
function report(left) {
  if (process.argv.includes('--count')) {
    const counts = new Map();
    for (const { file } of left) {
      const folder = file.split('/').slice(0, 3).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    for (const [folder, count] of [...counts].sort((one, other) => other[1] - one[1]))
      console.log(`${count}\t${folder}`);
  } else {
    for (const { file, line, rule, text } of left)
      console.log(`${file}:${line}: ${rule}: ${text.slice(0, 120)}`);
  }
  console.log(left.length === 0 ? 'prose: no findings' : `prose: ${left.length} findings`);
  process.exitCode = left.length === 0 ? 0 : 1;
}

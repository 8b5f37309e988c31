import { resolve } from 'node:path';
import ts from 'typescript';

/**
 * Grafana publishes its schema as types. `Plain` is a type as JSON has it: the members of an enum are their texts. A
 * panel also has the options of its kind.
 */
const head = `
import type { Dashboard, DataSourceRef, Panel } from '@grafana/schema';
import type * as Lines from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import type * as Stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
type Plain<T> = T extends string ? \`\${T}\`
  : T extends readonly (infer Item)[] ? Plain<Item>[]
  : T extends object ? { [Key in keyof T]: Plain<T[Key]> }
  : T;
type Of<Kind extends string, Options, Field> =
  Omit<Panel<Options, Field>, 'type' | 'targets'> & { type: Kind; targets: { refId: string; datasource: DataSourceRef; expr: string; legendFormat: string }[] };
type Ours = Omit<Dashboard, 'panels'> & {
  panels: (Of<'timeseries', Lines.Options, Lines.FieldConfig> | Of<'stat', Stat.Options, object>)[];
};
export const dashboard: Plain<Ours> = `;

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
};

/**
 * Checks dashboards against the types of `@grafana/schema`.
 * @param dashboards the JSON text of each, by its file's name
 * @returns what the compiler says; empty if all have these types
 */
export function typeErrorsOf(dashboards: ReadonlyMap<string, string>): readonly string[] {
  const sources = new Map(
    [...dashboards].map(([name, text]) => [resolve(`test/${name}.ts`), `${head}${text};`] as const),
  );
  const host = ts.createCompilerHost(options);
  const [read, exists] = [host.readFile.bind(host), host.fileExists.bind(host)];
  const open = host.getSourceFile.bind(host);
  host.readFile = (file) => sources.get(file) ?? read(file);
  host.fileExists = (file) => sources.has(file) || exists(file);
  host.getSourceFile = (file, language, ...rest) => {
    const source = sources.get(file);
    return source === undefined
      ? open(file, language, ...rest)
      : ts.createSourceFile(file, source, language);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

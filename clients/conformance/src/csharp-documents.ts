import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { type Service } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { inDotnet } from './csharp.js';
import { guideOfCSharp } from './csharp-guide.js';

/** A started service, and how the spec reads documents and runs programs. */
export interface Documents {
  readonly service: () => Service;
  /** Runs a program in a folder that has the demo merchant's file. */
  readonly inDemoFolder: (run: (folder: string) => Promise<string>) => Promise<string>;
  readonly examplesOf: (file: string) => Promise<string[]>;
}

const client = packageDirectory('clients/csharp/src');
/** A program is compiled first, which takes long on a busy machine. */
export const patience = 300_000;

export function describeCSharpDocuments(documents: Documents): void {
  describe('the documents of the C# client', () => {
    first(documents);
    guide(documents);
  });
}

function first({ inDemoFolder, examplesOf }: Documents): void {
  const readme = async () => (await examplesOf('clients/csharp/README.md'))[0] ?? '';
  const collected = 'pending\ncompleted 25000\n';

  it(
    'collect money by the README’s first example in an empty project, in 15 lines at most',
    async () => {
      const code = await readme();
      const directive = /^using [\w.]+;$/;
      const lines = code.split('\n').filter((line) => line !== '' && !directive.test(line));
      expect(lines.length).toBeLessThanOrEqual(15);
      const run = async (folder: string) => {
        await inDotnet(folder, ['new', 'console', '-o', 'collect']);
        await inDotnet(folder, ['add', 'collect', 'reference', client]);
        await writeFile(join(folder, 'collect/Program.cs'), code);
        return inDotnet(folder, ['run', '--project', 'collect']);
      };
      expect(await inDemoFolder(run)).toBe(collected);
    },
    patience,
  );

  it(
    'collect money by the same example in one file, under the lines that the README has',
    async () => {
      const code = await readme();
      const run = async (folder: string) => {
        const above = `#:project ${client}\n#:property PublishAot=false\n`;
        await writeFile(join(folder, 'collect.cs'), above + code);
        return inDotnet(folder, ['run', 'collect.cs']);
      };
      expect(await inDemoFolder(run)).toBe(collected);
    },
    patience,
  );
}

/** A project of ASP.NET. It runs in its own folder unless another one is given. */
const webProject = `
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Include="${client}/PesaPost.csproj" />
  </ItemGroup>
</Project>
`;

function guide({ inDemoFolder, examplesOf }: Documents): void {
  it(
    'have a guide whose examples run as they are printed',
    async () => {
      const [code = ''] = await examplesOf('clients/csharp/README.md');
      const printed = await examplesOf('docs/how-to/integrate-from-csharp.md');
      expect(printed).toHaveLength(3);
      const run = async (folder: string) => {
        await mkdir(join(folder, 'guide'));
        await writeFile(join(folder, 'guide/guide.csproj'), webProject);
        await writeFile(join(folder, 'guide/Program.cs'), guideOfCSharp(code, printed));
        return inDotnet(folder, ['run', '--project', 'guide', `-p:RunWorkingDirectory=${folder}`]);
      };
      expect(await inDemoFolder(run)).toMatch(
        /\nnot what was asked for: amount_minor\n0\n\d+\ncollection\.completed INV-5001\n204 400\n$/,
      );
    },
    patience,
  );
}

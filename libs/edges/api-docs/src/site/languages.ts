/** A client of the API: `id` names its folder in clients/samples. */
export interface ClientLanguage {
  readonly id: string;
  readonly title: string;
  readonly needs: string;
  /** The command that installs the package, or the lines of Maven's pom.xml. */
  readonly install: string;
}

/** The clients, in the order of the choice. A new one needs a line here and its folder of samples. */
export const clientLanguages: readonly ClientLanguage[] = [
  {
    id: 'typescript',
    title: 'TypeScript',
    needs: 'Node 20 or later, Deno or Bun',
    install: 'npm install @pesapost/sdk',
  },
  { id: 'python', title: 'Python', needs: 'Python 3.9 or later', install: 'pip install pesapost' },
  {
    id: 'php',
    title: 'PHP',
    needs: 'PHP 8.2 or later',
    install: 'composer require pesapost/pesapost',
  },
  {
    id: 'go',
    title: 'Go',
    needs: 'Go 1.19 or later',
    install: 'go get github.com/pesapost/pesapost-go',
  },
  { id: 'csharp', title: 'C#', needs: '.NET 10 or later', install: 'dotnet add package PesaPost' },
  {
    id: 'java',
    title: 'Java',
    needs: 'Java 17 or later',
    install: `<dependency>
  <groupId>com.pesapost</groupId>
  <artifactId>pesapost</artifactId>
  <version>0.1.0</version>
</dependency>`,
  },
];

/** The languages of samples. The reader chooses one for the whole site. */
export const languages: readonly Pick<ClientLanguage, 'id' | 'title'>[] = [
  { id: 'curl', title: 'curl' },
  ...clientLanguages,
];

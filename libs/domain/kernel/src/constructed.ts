type ClassToken<Value> = abstract new (...parts: never[]) => Value;
/** The token of a dependency: a class, even one with a private constructor, or a symbol for a value without a class. */
type Dependency<Value> = { readonly prototype: Value } | symbol;

/**
 * A Nest provider that constructs a class from its dependencies. The compiler checks the list against the constructor, so
 * neither decorators nor a factory that repeats it is needed.
 * @param inject the tokens of the constructor's parameters, in order
 */
export function constructed<Port, Parts extends readonly unknown[]>(
  provide: ClassToken<Port>,
  Implementation: new (...parts: Parts) => Port,
  inject: { readonly [Index in keyof Parts]: Dependency<Parts[Index]> },
) {
  return {
    provide,
    inject: [...inject] as ClassToken<unknown>[],
    useFactory: (...parts: Parts): Port => new Implementation(...parts),
  };
}

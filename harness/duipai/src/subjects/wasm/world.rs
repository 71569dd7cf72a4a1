//! What a guest must export and may import, checked before it runs, so that a
//! guest of another world is told what is wrong with it.

use wasmtime::component::{
    Component, Type,
    types::{ComponentFunc, ComponentItem},
};

const BRIDGE: &str = "yuyan:queue/bridge@0.1.0";

/// Interfaces, their functions, and the functions' types as WIT spells them.
const EXPORTS: [(&str, &[(&str, &str)]); 2] = [
    (
        "yuyan:queue/producer@0.1.0",
        &[
            ("send", "func(string, string, s64) -> result<_, string>"),
            ("send-batch", "func(string, string) -> result<_, string>"),
        ],
    ),
    (
        "yuyan:queue/consumer@0.1.0",
        &[
            ("read-batch", "func() -> result<string, string>"),
            ("ack", "func(s64) -> result<_, string>"),
            ("retry", "func(s64, s64) -> result<_, string>"),
        ],
    ),
];

/// What keeps the component from being a guest, if anything. The types of the
/// imported functions are left to the linker.
pub(super) fn check(component: &Component) -> Result<(), String> {
    let (engine, found) = (component.engine(), component.component_type());
    if let Some((name, _)) = found.imports(engine).find(|(name, _)| *name != BRIDGE) {
        return Err(format!("it imports `{name}`; the host has only `{BRIDGE}`"));
    }
    for (interface, functions) in EXPORTS {
        let exported = found.get_export(engine, interface).map(|export| export.ty);
        let Some(ComponentItem::ComponentInstance(exported)) = exported else {
            return Err(format!("it does not export the interface `{interface}`"));
        };
        for (name, expected) in functions {
            let got = match exported.get_export(engine, name).map(|export| export.ty) {
                Some(ComponentItem::ComponentFunc(function)) => spelled_function(&function),
                Some(_) => "something else".to_owned(),
                None => return Err(format!("`{interface}` does not export `{name}`")),
            };
            if got != *expected {
                return Err(format!("`{interface}` exports `{name}` as {got}, not as {expected}"));
            }
        }
    }
    Ok(())
}

fn spelled_function(function: &ComponentFunc) -> String {
    let listed =
        |types: &mut dyn Iterator<Item = Type>| types.map(spelled).collect::<Vec<_>>().join(", ");
    let asynchronous = if function.async_() { "async " } else { "" };
    let params = listed(&mut function.params().map(|(_, ty)| ty));
    let results = listed(&mut function.results());
    let arrow = if results.is_empty() { "" } else { " -> " };
    format!("{asynchronous}func({params}){arrow}{results}")
}

/// As WIT spells it, one level deep: no type of the world goes deeper.
fn spelled(ty: Type) -> String {
    let part = |ty: Option<Type>| ty.map_or("_", |ty| name(&ty));
    match ty {
        Type::Result(result) => {
            format!("result<{}, {}>", part(result.ok()), part(result.err()))
        }
        Type::List(list) => format!("list<{}>", name(&list.ty())),
        Type::Option(option) => format!("option<{}>", name(&option.ty())),
        ty => name(&ty).to_owned(),
    }
}

fn name(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::S8 => "s8",
        Type::U8 => "u8",
        Type::S16 => "s16",
        Type::U16 => "u16",
        Type::S32 => "s32",
        Type::U32 => "u32",
        Type::S64 => "s64",
        Type::U64 => "u64",
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        Type::Char => "char",
        Type::String => "string",
        Type::List(_) => "list",
        Type::Option(_) => "option",
        Type::Result(_) => "result",
        Type::Tuple(_) => "tuple",
        Type::Record(_) => "record",
        Type::Variant(_) => "variant",
        Type::Enum(_) => "enum",
        Type::Flags(_) => "flags",
        _ => "another type",
    }
}

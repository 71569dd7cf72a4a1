//! The command that runs one case again.

use duipai_platform::Profile;

/// What was on the command line, as far as it decides what a case does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rerun {
    /// The subject as given.
    pub subject: String,
    /// The case folders as given.
    pub cases: Vec<String>,
    /// The vector files as given.
    pub vectors: Vec<String>,
    /// The profile, if one was given.
    pub profile: Option<Profile>,
}

impl Rerun {
    /// The command that runs exactly the case `id`, for a POSIX shell.
    pub fn command(&self, id: &str) -> String {
        let mut command = format!("duipai run --subject {}", word(&self.subject));
        let mut option = |name: &str, value: &str| {
            command.push_str(&format!(" --{name} {}", word(value)));
        };
        self.cases.iter().for_each(|folder| option("cases", folder));
        self.vectors.iter().for_each(|file| option("vectors", file));
        if let Some(profile) = self.profile {
            option("profile", profile.name());
        }
        command + " --filter " + &quoted(id)
    }
}

/// `text` as one word, in quotes only where it needs them.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_what_was_given() {
        let check = |rerun: &Rerun, id, expected| assert_eq!(rerun.command(id), expected);
        let subject = String::from("native");
        check(
            &Rerun { subject, ..Rerun::default() },
            "a.b#c",
            "duipai run --subject native --filter 'a.b#c'",
        );
        check(
            &Rerun {
                subject: String::from("exec:my program"),
                cases: vec![String::from("my cases")],
                vectors: vec![String::from("a.jsonl"), String::from("b.jsonl")],
                profile: Some(Profile::Miniflare),
            },
            "it's",
            "duipai run --subject 'exec:my program' --cases 'my cases' --vectors a.jsonl \
             --vectors b.jsonl --profile miniflare --filter 'it'\\''s'",
        );
    }
}

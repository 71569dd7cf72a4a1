//! Changes to an input that keep it mostly valid: what libFuzzer's own changes,
//! blind to structure, do not.
//!
//! | module | changes |
//! | --- | --- |
//! | [`text`] | JSON texts: values, elements, spellings |
//! | [`scene`] | plans: their events, steps, messages, and the texts in them |
//!
//! A share of the changes is left to libFuzzer, which alone knows its dictionary
//! and what it learnt from comparisons; and so are all inputs for the generator.

mod random;
mod scene;
mod text;

use crate::fuzz::input::{self, Form, Input};

use random::Random;

/// One change in so many is left to libFuzzer. It makes several in a row before it
/// goes back to a good input, and most of its own break a text for good.
const LEFT: u64 = 12;

/// Changes the input of `size` bytes in `data`, which may grow to `max`; returns
/// its new size. `libfuzzer` makes libFuzzer's own changes, with the same three.
pub fn mutate(
    form: Form,
    data: &mut [u8],
    size: usize,
    max: usize,
    seed: u32,
    mut libfuzzer: impl FnMut(&mut [u8], usize, usize) -> usize,
) -> usize {
    let max = max.min(data.len());
    let size = size.min(max);
    let mut random = Random::new(seed);
    if form == Form::Bytes {
        return libfuzzer(data, size, max);
    }
    if input::is_generated(&data[..size]) && max > 1 {
        return 1 + libfuzzer(&mut data[1..], size - 1, max - 1);
    }
    let changed = match size {
        0 => Some(first(form, &mut random)),
        _ if random.below(LEFT) == 0 => None,
        _ => changed(form, &data[..size], &mut random),
    };
    match changed {
        Some(bytes) if bytes.len() <= max => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        _ => {
            let size = libfuzzer(data, size, max);
            to_text(&mut data[..size]);
            size
        }
    }
}

/// Makes text of bytes that are none: what is not UTF-8 is refused at once, and
/// nothing is learnt from it.
fn to_text(data: &mut [u8]) {
    let mut from = 0;
    while let Err(error) = std::str::from_utf8(&data[from..]) {
        let bad = from + error.valid_up_to();
        data[bad] = b'?';
        from = bad + 1;
    }
}

/// What to begin with where there is no seed.
fn first(form: Form, random: &mut Random) -> Vec<u8> {
    match form {
        Form::Batch | Form::Items => b"[{\"body\":1}]".to_vec(),
        Form::Scene => scene::first(),
        _ => text::value(random).as_bytes().to_vec(),
    }
}

fn changed(form: Form, bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    match form {
        Form::Scene => {
            let Ok(Input::Scene(mut plan)) = Input::read(form, bytes) else { return None };
            scene::change(&mut plan, random);
            Some(Input::Scene(plan).to_bytes())
        }
        Form::Send | Form::Batch => match Input::read(form, bytes) {
            Ok(Input::Call(mut call)) => {
                if random.below(8) == 0 {
                    scene::change_call(&mut call, random);
                } else {
                    call.text = text::change(&call.text, random).into();
                }
                Some(Input::Call(call).to_bytes())
            }
            _ => None,
        },
        Form::Text | Form::Items | Form::Bytes => {
            let text = std::str::from_utf8(bytes).ok()?;
            Some(text::change(text, random).into_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// Changes `seed` over and over; the share of results that `holds` of.
    fn share(form: Form, start: &[u8], holds: impl Fn(&[u8]) -> bool) -> f64 {
        let mut held = 0;
        for seed in 0..2_000 {
            let mut data = vec![0; 4096];
            let mut size = start.len();
            data[..size].copy_from_slice(start);
            for round in 0..4 {
                let own = |_: &mut [u8], size: usize, _: usize| size;
                size = mutate(form, &mut data, size, 4096, seed * 7 + round, own);
                assert!(size <= 4096);
            }
            held += u32::from(holds(&data[..size]));
        }
        f64::from(held) / 2_000.0
    }

    fn is_json(text: &[u8]) -> bool {
        std::str::from_utf8(text).is_ok_and(|text| duipai_host::json::parse(text).is_ok())
    }

    #[test]
    fn texts_stay_mostly_valid() {
        let valid = share(Form::Text, b"[{\"body\":{\"a\":[1,\"x\"]}},null]", is_json);
        assert!((0.5..1.0).contains(&valid), "{valid}");
    }

    #[test]
    fn plans_stay_plans() {
        let plan = sample::plan(vec![sample::send("{\"a\":1}")]);
        let scene = Input::Scene(crate::plan::Scene { events: vec![plan] });
        let valid =
            share(Form::Scene, &scene.to_bytes(), |bytes| Input::read(Form::Scene, bytes).is_ok());
        assert!(valid > 0.9, "{valid}");
    }

    #[test]
    fn generated_inputs_are_libfuzzers() {
        let mut data = [1, 2, 3, 0];
        let size = mutate(Form::Text, &mut data, 3, 4, 1, |rest, size, max| {
            assert_eq!((rest.len(), size, max), (3, 2, 3));
            rest[2] = 9;
            3
        });
        assert_eq!((size, data), (4, [1, 2, 3, 9]));
    }

    #[test]
    fn nothing_grows_over_its_bound() {
        let mut data = *b"[1]";
        for seed in 0..500 {
            assert!(mutate(Form::Text, &mut data, 3, 3, seed, |_, size, _| size) <= 3);
        }
        assert_eq!(mutate(Form::Text, &mut [], 0, 0, 1, |_, size, _| size), 0);
    }

    #[test]
    fn what_is_no_text_becomes_one() {
        let mut data = *b"\xff\xe6\xb1\x89\xe6\xb1";
        to_text(&mut data);
        assert_eq!(std::str::from_utf8(&data), Ok("?汉??"));
    }
}

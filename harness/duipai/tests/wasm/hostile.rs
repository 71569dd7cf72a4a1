//! Guests that break or attack, each with what must come of it. The case after
//! theirs finds nothing of it.

use std::time::{Duration, Instant};

use duipai::{
    observation::{Observation, Outcome},
    subject::{Fault, Subject},
};
use duipai_platform::Profile;
use duipai_spec::event::{Call, End, EventKind};

use crate::guests::{guest, scene, send, send_batch};

const BUDGET: Duration = Duration::from_secs(20);
const BRIEF: Duration = Duration::from_millis(100);

/// What one `send` in a `fetch` event comes to.
fn one_send(subject: &dyn Subject, budget: Duration) -> Result<Observation, Fault> {
    let scene = scene(EventKind::Fetch, vec![send("{}")]);
    subject.run(&scene, Profile::default(), budget).map(|mut seen| seen.remove(0))
}

/// The subject still answers.
fn unharmed(subject: &dyn Subject) {
    let scene = scene(EventKind::Fetch, vec![send_batch()]);
    let seen = subject.run(&scene, Profile::default(), BUDGET).unwrap().remove(0);
    assert_eq!(seen.outcomes, [Outcome::Returned { value: None }]);
    assert_eq!(seen.end, End::Fulfilled);
}

/// A guest with this `send` crashes, for this reason.
fn crashes(send: &str, more: &str, reason: &str) {
    let subject = guest(send, more);
    assert_eq!(one_send(&*subject, BUDGET), Err(Fault::Crashed(reason.to_owned())));
    unharmed(&*subject);
}

/// A guest with this `send` makes the host end the event, with a text that
/// begins like this.
fn aborts(send: &str, more: &str, text: &str) {
    let subject = guest(send, more);
    let seen = one_send(&*subject, BUDGET).unwrap();
    let [Outcome::Aborted { reason }] = seen.outcomes.as_slice() else { panic!("{seen:?}") };
    assert!(reason.starts_with(text), "{reason}");
    assert_eq!(seen.end, End::Aborted(reason.clone()));
    assert_eq!(seen.calls, []);
    unharmed(&*subject);
}

/// A guest with this `send` is stopped when the budget is used up.
fn times_out(send: &str, more: &str, budget: Duration) {
    let subject = guest(send, more);
    let start = Instant::now();
    assert_eq!(one_send(&*subject, budget), Err(Fault::TimedOut));
    assert!(start.elapsed() < BUDGET, "{:?}", start.elapsed());
    unharmed(&*subject);
}

/// A test for each hostile guest: its `send`, further definitions, and what must
/// come of it.
macro_rules! guests {
    ($($verdict:ident { $($name:ident: $send:expr, $more:expr => $expected:expr;)* })*) => {
        $($(#[test] fn $name() { $verdict($send, $more, $expected); })*)*
    };
}

const TOO_LONG: &str = "the guest handed over a text of 33553408 bytes, 8388608 at most";
const TOO_MUCH: &str = "the guest handed over more than 67108864 bytes in one event";
const NOT_IN_FETCH: &str = "队列原语只在队列事件里可用，当前事件是 fetch";
const NO_HANDLE: &str = "宿主句柄不存在或已释放：";

guests! {
    crashes {
        a_trap: "unreachable", "" => "wasm trap: wasm `unreachable` instruction executed, in send";
        a_load_out_of_bounds: "(i32.load (i32.const -4))", ""
            => "wasm trap: out of bounds memory access, in send";
        a_division_by_zero: "(call $divide (i32.const 0))",
            "(func $divide (param i32) (result i32) (i32.div_u (i32.const 1) (local.get 0)))"
            => "wasm trap: integer divide by zero, in divide < send";
        a_stack_overflow: "(call $deep) (call $ok)", "(func $deep (call $deep))"
            => "wasm trap: call stack exhausted, in deep < deep < deep < deep < deep < deep < …";
        a_memory_bomb: "(loop $again (drop (memory.grow (i32.const 16))) (br $again)) unreachable",
            "" => "the guest wants more than 64 MiB of memory, in send";
        a_table_that_grows: "(loop $again
            (drop (table.grow $t (ref.null func) (i32.const 1000))) (br $again)) unreachable",
            "(table $t 0 funcref)" => "the guest wants more than 100000 table elements, in send";
        megabytes_in_an_exception: "(call $throw (i32.const 1024) (i32.const 33553408))", ""
            => TOO_LONG;
        // Between guest and host stands a function of the component's own making.
        megabytes_in_an_argument:
            "(drop (call $global (i32.const 1024) (i32.const 33553408))) unreachable", ""
            => &format!("{TOO_LONG}, in function 0 < send");
        megabytes_in_many_arguments: "(loop $again
            (drop (call $bytes_to_handle (i32.const 0) (i32.const 8388608))) (br $again))
            unreachable", "" => &format!("{TOO_MUCH}, in function 2 < send");
        an_exception_that_is_not_utf8: "(call $throw (i32.const 80) (i32.const 2))", ""
            => "invalid utf-8 sequence of 1 bytes from index 0";
        an_exception_outside_memory: "(call $throw (i32.const 33554430) (i32.const 4))", ""
            => "string pointer/length out of bounds of memory";
        a_result_outside_memory: "(i32.const 33554431)", "" => "return pointer not aligned";
        a_result_of_no_kind: "(i32.store8 (i32.const 16) (i32.const 7)) (i32.const 16)", ""
            => "invalid expected discriminant";
        last_words: "(call $say) unreachable", SAY
            => "wasm trap: wasm `unreachable` instruction executed, in send; \
                it printed \"here I am\"";
    }
    aborts {
        a_forged_handle: "(call $release (i64.const 12345)) (call $ok)", ""
            => &format!("{NO_HANDLE}12345");
        a_handle_beyond_all_handles: "(call $release (i64.const -1)) (call $ok)", "" => NO_HANDLE;
        the_handle_zero: "(call $release (i64.const 0)) (call $ok)", ""
            => &format!("{NO_HANDLE}0");
        a_released_handle: "(local $json i64)
            (local.set $json (call $global (i32.const 64) (i32.const 4)))
            (call $release (local.get $json)) (call $release (local.get $json)) (call $ok)", ""
            => NO_HANDLE;
        more_handles_than_there_are: "(loop $again
            (drop (call $global (i32.const 64) (i32.const 4))) (br $again)) unreachable", ""
            => "宿主句柄超过 4096 个";
        a_queue_primitive_in_another_event: "(drop (call $batch_count)) (call $ok)", ""
            => NOT_IN_FETCH;
        an_ack_in_another_event: "(call $ack (i32.const 0)) (call $ok)", "" => NOT_IN_FETCH;
    }
    times_out {
        an_infinite_loop: "(loop $again (br $again)) unreachable", "" => BRIEF;
        // A primitive in the loop does not reset the clock.
        an_infinite_loop_of_host_calls: "(loop $again
            (call $release (call $global (i32.const 64) (i32.const 4))) (br $again)) unreachable",
            "" => BRIEF;
        a_budget_that_is_used_up: "(call $ok)", "" => Duration::ZERO;
    }
}

/// `console.log("here I am")`.
const SAY: &str = r#"
    (data (i32.const 600) "consolelog[\"here I am\"]")
    (func $say (call $call (call $global (i32.const 600) (i32.const 7))
        (i32.const 607) (i32.const 3) (i32.const 610) (i32.const 13) (i32.const 32)))"#;

/// What a guest prints and survives is kept with the event.
#[test]
fn the_console() {
    let subject = guest("(call $say) (call $say) (call $ok)", SAY);
    assert_eq!(one_send(&*subject, BUDGET).unwrap().console, "here I am\nhere I am\n");
}

#[test]
fn an_infinite_loop_while_it_starts() {
    let subject = guest("(call $ok)", "(func $main (loop $again (br $again))) (start $main)");
    assert_eq!(one_send(&*subject, BRIEF), Err(Fault::TimedOut));
}

#[test]
fn a_host_call_while_it_starts() {
    let main = "(func $main (call $ack (i32.const 0))) (start $main)";
    let subject = guest("(call $ok)", main);
    let seen = one_send(&*subject, BUDGET).unwrap();
    let text = "队列原语只在队列事件里可用，当前事件是 fetch".to_owned();
    assert_eq!(seen.outcomes, [Outcome::NotReached]);
    assert_eq!(seen.end, End::Aborted(text));
    // In a queue event the host allows it, and it is seen.
    let queue = scene(EventKind::Queue, vec![send("{}")]);
    let seen = subject.run(&queue, Profile::default(), BUDGET).unwrap().remove(0);
    assert_eq!(seen.outcomes, [Outcome::Returned { value: None }]);
    assert_eq!(seen.calls, [Call::Ack { message: 0 }]);
}

#[test]
fn a_host_call_with_texts_while_it_starts() {
    let main = "(func $main (drop (call $global (i32.const 64) (i32.const 4)))) (start $main)";
    let subject = guest("(call $ok)", main);
    let Err(Fault::Crashed(reason)) = one_send(&*subject, BUDGET) else { panic!("it started") };
    assert!(reason.contains(" < main"), "{reason}");
}

/// A second event finds the guest as it was at first; a second call in the same
/// event does not.
#[test]
fn state_ends_with_the_event() {
    let send_once = "(if (i32.load (i32.const 8)) (then
            (return (call $throw (i32.const 96) (i32.const 4)))))
        (if (global.get $sent) (then (return (call $throw (i32.const 96) (i32.const 4)))))
        (i32.store (i32.const 8) (i32.const 1)) (global.set $sent (i32.const 1)) (call $ok)";
    let subject = guest(send_once, "(global $sent (mut i32) (i32.const 0))");
    let scene = scene(EventKind::Fetch, vec![send("{}"), send("{}")]);
    for _ in 0..3 {
        let seen = subject.run(&scene, Profile::default(), BUDGET).unwrap().remove(0);
        let kept = Outcome::Threw { message: "kept".to_owned() };
        assert_eq!(seen.outcomes, [Outcome::Returned { value: None }, kept]);
    }
}

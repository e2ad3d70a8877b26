//! Stages by their position: finding, putting in, taking out, and moving them through nested plans.
//!
//! A path is the index of a stage in its plan, then the index in the plan that this stage holds, and so on.

use doc::Stage;
use form::path::{Place, Segment};

/// The keys of plans within stages.
pub const NESTED: &[&str] = &["body", "plan"];

/// Returns the place of a stage's own plan, where `place` is that of the stage.
pub(super) fn nested_place(stage: &Stage, place: &Place) -> Option<Place> {
    stage.nested().map(|nested| place.variant(stage.key()).key(nested.key))
}

/// Returns the stage at a path.
pub fn stage_at_mut<'a>(plan: &'a mut [Stage], path: &[usize]) -> Option<&'a mut Stage> {
    let (&index, rest) = path.split_first()?;
    let stage = plan.get_mut(index)?;
    if rest.is_empty() { Some(stage) } else { stage_at_mut(stage.nested_mut()?, rest) }
}

/// Returns the stage at a path, to look at.
pub fn stage_in<'a>(plan: &'a [Stage], path: &[usize]) -> Option<&'a Stage> {
    siblings(plan, path)?.get(*path.last()?)
}

/// Finds the stage at a path of the plan `before` in the plan `after`, if it has moved.
pub fn moved_to(before: &[Stage], after: &[Stage], path: &[usize]) -> Option<Vec<usize>> {
    let stage = stage_in(before, path)?;
    // An equal one that was there before is another one.
    let is_it =
        |path: &Vec<usize>| stage_in(after, path) == Some(stage) && stage_in(before, path) != Some(stage);
    if stage_in(after, path) == Some(stage) { None } else { paths(after, &[]).into_iter().find(is_it) }
}

/// Returns the paths of all stages, outer ones first.
pub(super) fn paths(plan: &[Stage], around: &[usize]) -> Vec<Vec<usize>> {
    let of_stage = |(index, stage): (usize, &Stage)| {
        let path = [around, &[index]].concat();
        let inner = stage.nested().map(|nested| paths(nested.plan, &path)).unwrap_or_default();
        [vec![path], inner].concat()
    };
    plan.iter().enumerate().flat_map(of_stage).collect()
}

/// Returns the stage at a path, with its place in the document, where `place` is that of the plan.
pub fn stage_at<'a>(
    plan: &'a mut [Stage],
    mut place: Place,
    path: &[usize],
) -> Option<(&'a mut Stage, Place)> {
    let (&index, rest) = path.split_first()?;
    let stage = plan.get_mut(index)?;
    place.0.push(Segment::Index(index));
    if rest.is_empty() {
        return Some((stage, place));
    }
    let place = nested_place(stage, &place)?;
    stage_at(stage.nested_mut()?, place, rest)
}

/// Returns the plan that holds the stage at `path`.
fn siblings<'a>(plan: &'a [Stage], path: &[usize]) -> Option<&'a [Stage]> {
    let (_, parent) = path.split_last()?;
    parent.iter().try_fold(plan, |plan, index| Some(plan.get(*index)?.nested()?.plan))
}

fn siblings_mut<'a>(plan: &'a mut Vec<Stage>, path: &[usize]) -> Option<&'a mut Vec<Stage>> {
    let (_, parent) = path.split_last()?;
    if parent.is_empty() { Some(plan) } else { stage_at_mut(plan, parent)?.nested_mut() }
}

/// Puts a stage at a path, before the one that is there. Does nothing where there is no such plan.
pub(super) fn insert(plan: &mut Vec<Stage>, path: &[usize], stage: Stage) -> bool {
    let (Some(&index), Some(siblings)) = (path.last(), siblings_mut(plan, path)) else { return false };
    if index > siblings.len() {
        return false;
    }
    siblings.insert(index, stage);
    true
}

/// Takes the stage at a path out.
pub(super) fn take(plan: &mut Vec<Stage>, path: &[usize]) -> Option<Stage> {
    let (&index, siblings) = (path.last()?, siblings_mut(plan, path)?);
    (index < siblings.len()).then(|| siblings.remove(index))
}

/// Moves a stage to where `to` is before the move. Returns where it is then; nothing for a move into itself.
pub(super) fn relocate(plan: &mut Vec<Stage>, from: &[usize], to: &[usize]) -> Option<Vec<usize>> {
    if to.starts_with(from) {
        return None;
    }
    let target = after_removal(from, to);
    let stage = take(plan, from)?;
    if insert(plan, &target, stage.clone()) {
        return Some(target);
    }
    insert(plan, from, stage);
    None
}

/// Returns what `to` is called once the stage at `from` is gone.
fn after_removal(from: &[usize], to: &[usize]) -> Vec<usize> {
    let mut target = to.to_vec();
    if let Some((&index, parent)) = from.split_last()
        && to.len() >= from.len()
        && to.starts_with(parent)
        && to[parent.len()] > index
    {
        target[parent.len()] -= 1;
    }
    target
}

/// Returns the next path down for a stage, as rows are drawn: into the plan that follows, past a neighbour, or out.
pub(super) fn below(plan: &[Stage], path: &[usize]) -> Option<Vec<usize>> {
    let (&index, parent) = path.split_last()?;
    let siblings = siblings(plan, path)?;
    match siblings.get(index + 1) {
        Some(next) if next.nested().is_some() => Some([parent, &[index + 1, 0]].concat()),
        Some(_) => Some([parent, &[index + 2]].concat()),
        None => {
            let (&outer, above) = parent.split_last()?;
            Some([above, &[outer + 1]].concat())
        }
    }
}

/// Returns the next path up for a stage: the inverse of [`below`].
pub(super) fn above(plan: &[Stage], path: &[usize]) -> Option<Vec<usize>> {
    let (&index, parent) = path.split_last()?;
    if index == 0 {
        return (!parent.is_empty()).then(|| parent.to_vec());
    }
    let siblings = siblings(plan, path)?;
    match siblings.get(index - 1).and_then(Stage::nested) {
        Some(nested) => Some([parent, &[index - 1, nested.plan.len()]].concat()),
        None => Some([parent, &[index - 1]].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::{Choice, Node, Value, ron_text};

    fn plan() -> Vec<Stage> {
        ron_text::from_str("[Test, Repeat(body: [Train(\"1ep\"), Test]), Train(\"2ep\")]").unwrap()
    }

    fn sketch(plan: &[Stage]) -> String {
        let rows = plan.iter().map(|stage| match stage.nested() {
            Some(nested) => format!("[{}]", sketch(nested.plan)),
            None => stage.key()[..2].to_owned(),
        });
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_plans_within_stages_are_those_that_their_forms_have() {
        for mut stage in Stage::all() {
            let known = stage.nested().map(|nested| (nested.key, nested.plan.len()));
            assert_eq!(known, stage.nested_mut().and_then(|plan| Some((known?.0, plan.len()))));
            let Some(Node::Group(group)) = stage.payload().map(|payload| payload.node()) else { continue };
            let keys: Vec<&str> = group.fields().iter().map(|field| field.key).collect();
            let is_plan = |value: &mut dyn Value| {
                let Node::List(list) = value.node() else { return false };
                matches!(list.sample().node(), Node::Choice(item) if item.title() == Stage::Test.title())
            };
            let held: Vec<&str> = keys
                .into_iter()
                .enumerate()
                .filter_map(|(at, key)| is_plan(group.value(at)).then_some(key))
                .collect();
            assert_eq!(held, known.map(|(key, _)| key).into_iter().collect::<Vec<_>>());
            assert!(held.iter().all(|key| NESTED.contains(key)));
        }
    }

    #[test]
    fn a_path_leads_through_nested_plans_to_a_stage_and_its_place() {
        let mut plan = plan();
        let place = Place::default().key("plan");
        let (stage, place) = stage_at(&mut plan, place, &[1, 0]).unwrap();
        assert_eq!((stage.key(), place.to_string().as_str()), ("Train", "plan[1].Repeat.body[0]"));
        assert_eq!(stage_at_mut(&mut plan, &[1, 1]), Some(&mut Stage::Test));
        assert_eq!(stage_at_mut(&mut plan, &[0, 0]), None);
    }

    #[test]
    fn a_stage_moved_down_goes_through_all_rows_and_back_up_again() {
        let mut plan = plan();
        let start = sketch(&plan);
        let mut path = vec![0];
        let mut seen = vec![start.clone()];
        while let Some(to) = below(&plan, &path) {
            path = relocate(&mut plan, &path, &to).unwrap();
            seen.push(sketch(&plan));
        }
        assert_eq!(
            seen,
            [
                "Te [Tr Te] Tr",
                "[Te Tr Te] Tr",
                "[Tr Te Te] Tr",
                "[Tr Te Te] Tr",
                "[Tr Te] Te Tr",
                "[Tr Te] Tr Te"
            ]
        );
        while let Some(to) = above(&plan, &path) {
            path = relocate(&mut plan, &path, &to).unwrap();
        }
        assert_eq!((path, sketch(&plan)), (vec![0], start));
    }

    #[test]
    fn a_moved_stage_is_found_where_it_is_now() {
        let (before, mut after) = (plan(), plan());
        assert_eq!(moved_to(&before, &after, &[0]), None, "nothing has moved");
        relocate(&mut after, &[0], &[1, 1]).unwrap();
        assert_eq!(sketch(&after), "[Tr Te Te] Tr");
        assert_eq!(moved_to(&before, &after, &[0]), Some(vec![0, 1]));
        assert_eq!(moved_to(&after, &before, &[0, 1]), Some(vec![0]), "not the other test, which stayed");
        after.remove(1);
        assert_eq!(moved_to(&before, &after, &[2]), None, "it is gone");
    }

    #[test]
    fn a_stage_cannot_be_moved_into_itself() {
        let mut plan = plan();
        assert_eq!(relocate(&mut plan, &[1], &[1, 0]), None);
        assert_eq!(relocate(&mut plan, &[1], &[9]), None);
        assert_eq!(sketch(&plan), "Te [Tr Te] Tr");
    }
}

mod lists;

use proptest::prelude::*;

use super::*;

fn bits_of(row: &Row) -> (Option<u32>, Option<u32>) {
    let Logged::Fault(LoggedFault { before, after, .. }) = row.logged else { panic!("{row} is no fault") };
    (before, after)
}

#[test]
fn bits_before_and_after_are_hexadecimal() {
    let list =
        read("parameter,index,before,after\nfc1.weight,0,3f800000,0xbF800000\nfc2.weight,0,1,81").unwrap();
    let bits: Vec<_> = list.iter().map(|(_, row)| bits_of(row)).collect();
    assert_eq!(bits, [(Some(0x3f80_0000), Some(0xbf80_0000)), (Some(1), Some(0x81))]);
    for wrong in ["g0", "-1", "+1", "123456789", "0x", "3f 80"] {
        let text = format!("parameter,index,after\nfc1.weight,0,{wrong}");
        assert!(read(&text).unwrap_err().to_string().starts_with("line 2: after is "), "{wrong}");
    }
}

#[test]
fn a_line_has_the_columns_of_the_header() {
    let fault = |bit, before| {
        let after = Some(0x7f80_0000);
        Logged::Fault(LoggedFault {
            parameter: "fc1.weight".into(),
            index: 12,
            bit,
            before: Some(before),
            after,
        })
    };
    let row =
        |round, image, logged| Row { campaign: "3.1".into(), round, trial: 7, image, logged }.to_string();
    assert_eq!(HEADER, "campaign,round,trial,image,parameter,index,bit,before,after");
    let full = row(Some(2), Some(0), fault(Some(30), 0x3f80_0000));
    assert_eq!(full, "3.1,2,7,0,fc1.weight,12,30,3f800000,7f800000");
    assert_eq!(row(None, None, fault(None, 0x81)), "3.1,,7,,fc1.weight,12,,00000081,7f800000");
    let draw = Logged::Draw { faults: 200_000, stream: StreamCounters(vec![2, 0, 7]) };
    assert_eq!(row(None, None, draw), "3.1,,7,,stream 2 0 7,200000,,,");
}

#[test]
fn draws_too_long_to_list_are_read_and_remarks_passed_over() {
    let log = format!("{HEADER}\n3.1,2,7,,stream 5 1 6,200000,,,\n3.1,2,7,,stream,200000,,,\n# a remark\n");
    let draw = |counters: &[u64]| Row {
        campaign: "3.1".into(),
        round: Some(2),
        trial: 7,
        image: None,
        logged: Logged::Draw { faults: 200_000, stream: StreamCounters(counters.to_vec()) },
    };
    let expected = [(2, draw(&[5, 1, 6])), (3, draw(&[]))];
    assert_eq!(read(&log).unwrap(), expected);
    let mut line_by_line = Vec::new();
    each_row(log.as_bytes(), |row| line_by_line.push(row.to_string())).unwrap();
    assert_eq!(line_by_line, expected.map(|(_, row)| row.to_string()));
}

#[test]
fn half_a_line_at_the_end_of_a_log_is_passed_over() {
    let mut rows = 0;
    each_row(&b"1,,0,,fc1.weight,3,30,0,40000000\n1,,0,,fc1.wei"[..], |_| rows += 1).unwrap();
    assert_eq!(rows, 1);
}

/// The campaign `2` in round 1, as numbers of lines and rows.
fn of_round_1(log: &str) -> Result<Vec<(usize, String)>, LineError> {
    let rows = read_campaign(log, "2", Some(1))?;
    Ok(rows.into_iter().map(|(line, row)| (line, row.to_string())).collect())
}

#[test]
fn a_cut_last_line_is_no_row_of_a_campaign() {
    let row = "2,1,0,,fc1.weight,3,30,00000000,40000000";
    for cut in ["", "2,1,1,,fc1.wei", "2,1,1,,fc1.weight,3,30,00000000,4000"] {
        let log = format!("{HEADER}\n{row}\n{cut}");
        assert_eq!(of_round_1(&log).unwrap(), [(2, row.to_owned())], "{cut}");
    }
    assert!(of_round_1("").unwrap().is_empty());
}

#[test]
fn only_the_lines_of_a_campaign_and_round_must_be_right() {
    let row = "2,1,0,,fc1.weight,3,30,00000000,40000000";
    let others = "3@a,b,,0,,fc1.weight,3,30,0,1\n2,2,x\n2,,x\n22,1,x\n# 2,2,7: x\n\n";
    let draw = "2,1,7,,stream 5 1 6,200000,,,";
    let log = format!("{HEADER}\n{others}{row}\n{draw}\n");
    assert_eq!(of_round_1(&log).unwrap(), [(8, row.to_owned()), (9, draw.to_owned())]);
    let problem = of_round_1(&format!("{log}2,1,x\n")).unwrap_err();
    assert_eq!(problem.to_string(), "line 10: 3 cells, but the first line names 9 columns");
}

#[test]
fn a_fault_is_described_with_the_image_that_alone_saw_it() {
    let [before, after] = [0x3d23_d70a, 0x7d23_d70a].map(Some);
    let fault =
        LoggedFault { parameter: "features.0.weight".into(), index: 17, bit: Some(30), before, after };
    assert_eq!(fault.layer(), "features.0");
    assert_eq!(fault.described(None), "features.0.weight[17] b30: 3d23d70a → 7d23d70a");
    assert_eq!(fault.described(Some(4)), "features.0.weight[17] b30 of image 4: 3d23d70a → 7d23d70a");
}

proptest! {
    #[test]
    fn a_written_log_is_read_as_it_was(
        numbers in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>(), any::<[bool; 4]>()), 0..8),
    ) {
        let row = |&(trial, index, before, after, [round, image, bit, long]): &(u64, u64, u32, u32, [bool; 4])| Row {
            campaign: "2".into(),
            round: round.then_some(trial / 2),
            trial,
            image: image.then_some(index / 3),
            logged: if long {
                Logged::Draw { faults: index, stream: StreamCounters(vec![trial, index]) }
            } else {
                Logged::Fault(LoggedFault {
                    parameter: "features.0.weight".into(),
                    index,
                    bit: bit.then_some(before % 32),
                    before: Some(before),
                    after: Some(after),
                })
            },
        };
        let rows: Vec<Row> = numbers.iter().map(row).collect();
        let lines: Vec<String> = std::iter::once(HEADER.to_owned()).chain(rows.iter().map(ToString::to_string)).collect();
        let text = lines.join("\n");
        let read: Vec<Row> = read(&text).unwrap().into_iter().map(|(_, row)| row).collect();
        prop_assert_eq!(read, rows);
    }
}

//! `duipai fuzz-report`.

use crate::{
    cli::{
        CliError, Done,
        args::{FuzzReportArgs, FuzzReportFormat},
        output,
    },
    fuzz::report,
};

/// Sums up a run of the fuzz targets.
pub(super) fn fuzz_report(args: &FuzzReportArgs) -> Result<Done, CliError> {
    let report = report::read(&args.folder, args.least_acceptance.map(|share| share / 100.0))?;
    let text = match args.format {
        FuzzReportFormat::Pretty => report.to_string(),
        FuzzReportFormat::Json => {
            let json = serde_json::to_string_pretty(&report);
            json.map_err(|error| CliError::Report(error.to_string()))? + "\n"
        }
    };
    output::print(&text)?;
    Ok(Done::conformant_if(report.as_expected))
}

//! Any bytes as a case file: cases, or problems that stand in the file.

#![no_main]

duipai_fuzz::target!("case_file");

"""Tables of numbers with a label: what of a file is header, label and class, and what is wrong."""

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_svmlight_file

from pseudocore.datasets import Csv, Libsvm
from pseudocore.errors import UserError

ROWS = "1,2.5,a\n3,4.5,b\n5,6.5,a\n7,8.5,b\n"


@pytest.fixture
def table(tmp_path):
    """A file with this text."""

    def write(text, name="mine.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(tmp_path / name)

    return write


def whole(path, kind=Csv, **fields):
    """All rows of a file: it is its own test file, so that none is cut."""
    return kind(path, test=path, **fields).read()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (ROWS, "-1"),
        (ROWS, "2"),
        (f"x,y,kind\n{ROWS}", "-1"),
        (f"x,y,kind\n{ROWS}", "2"),
        (f"x,y,kind\n{ROWS}", "kind"),
        (f" x , y, kind\n{ROWS}", "kind"),
        (f"\ufeffx,y,kind\n{ROWS}", "kind"),
        (f"\ufeff{ROWS}", "-1"),
        (ROWS.replace("\n", "\r\n"), "-1"),
        (f"\n{ROWS.replace('b', ' b ')}\n,,\n \n", "-1"),
        (f'"x,1","y\n2",kind\n{ROWS}', "kind"),
        ("a,1,2.5\nb,3,4.5\na,5,6.5\nb,7,8.5\n", "0"),
        ("kind,x,y\na,1,2.5\nb,3,4.5\na,5,6.5\nb,7,8.5", "kind"),
        ("1,a,2.5\n3,b,4.5\n5,a,6.5\n7,b,8.5", "-2"),
    ],
    ids=[
        "no header",
        "by number",
        "header",
        "header and number",
        "by name",
        "spaces",
        "a mark before the header",
        "a mark before the numbers",
        "lines of Windows",
        "empty lines",
        "quotes",
        "label first",
        "label first by name",
        "label in the middle",
    ],
)
def test_rows_labels_and_classes_are_read(table, text, label):
    raw = whole(table(text), label=label)
    np.testing.assert_array_equal(raw.train.values, [[1, 2.5], [3, 4.5], [5, 6.5], [7, 8.5]])
    np.testing.assert_array_equal(raw.train.labels, [0, 1, 0, 1])
    assert (raw.classes, raw.channels) == (("a", "b"), "features")
    assert raw.train.values.dtype == np.float32
    np.testing.assert_array_equal(raw.test.values, raw.train.values)


def test_classes_that_are_numbers_are_ordered_by_size(table):
    raw = whole(table("0.5,10\n1.5,2\n2.5,-1\n3.5,nan\n4.5,cat\n"))
    assert raw.classes == ("-1", "2", "10", "cat", "nan")
    np.testing.assert_array_equal(raw.train.labels, [2, 1, 0, 4, 3])


def test_two_columns_and_their_names_are_read(table):
    raw = whole(table("x,kind\n1.5,a\n2.5,b\n"))
    np.testing.assert_array_equal(raw.train.values, [[1.5], [2.5]])
    assert raw.classes == ("a", "b")


def test_a_header_of_numbers_is_known_by_the_word_over_the_labels(table):
    """As pandas writes the columns of an array."""
    raw = whole(table("0,1,target\n5.5,6.5,0\n7.5,8.5,1\n"))
    np.testing.assert_array_equal(raw.train.values, [[5.5, 6.5], [7.5, 8.5]])
    assert raw.classes == ("0", "1")
    named = whole(table("0,1,target\n5.5,6.5,u\n7.5,8.5,v\n"), label="target")
    assert named.classes == ("u", "v")


def test_a_first_row_that_misses_a_number_is_no_header(table):
    with pytest.raises(UserError, match=r"line 1 holds '' where a number should be"):
        whole(table("1,,yes\n2,3,no\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"is empty: a row of numbers and a label a line"),
        ("\n \n,,\n", r"is empty"),
        ("x,y,kind\n", r"has a header and no rows"),
        ("1;2;a\n3;4;b\n", r"has one field a line, '1;2;a' in the first.*divided by commas"),
        ("1,2,a\n3,b\n", r"line 2 has 2 fields, the first line 3: repair it"),
        ("x,y,kind\n\n1,2,a\n3,4,5,b\n", r"line 4 has 4 fields, the first line 3"),
        ("x,y,kind\n1,2,a\n\n3,red,b\n", r"line 4 holds 'red' where a number.*--data\.label"),
        ("1,2,a\n3,,b\n", r"line 2 holds '' where a number should be"),
        ("1,2,a\n3,4,\n", r"line 2 has no label"),
        (b"1,2,\xff\xfe\n", r"cannot be read as text"),
        ('1,2,"a\n3,4,b\n' + "x" * 140_000, r"line \d+ is no CSV \(field larger than"),
    ],
)
def test_what_is_wrong_with_a_file_is_named_with_its_line(table, text, said):
    with pytest.raises(UserError, match=rf"mine\.csv,? .*{said}"):
        whole(table(text))


@pytest.mark.parametrize("field", ["nan", "inf", "1e39"])
def test_numbers_that_are_none_are_refused(table, field):
    path = table(f"1,2,a\n{field},3,b\n")
    with pytest.raises(UserError, match=r"1 train points hold NaN, infinite or huge.*number 1"):
        Csv(path, test=path, held_out=0.0).load()


@pytest.mark.parametrize(
    ("text", "label", "said"),
    [
        (f"x,y,kind\n{ROWS}", "color", "no column 'color' for the label: its columns are x, y, ki"),
        (ROWS, "kind", "no column 'kind' for the label: it has 3 columns"),
        (ROWS, "3", "no column '3'"),
        (ROWS, "-4", "no column '-4'"),
        (ROWS, "--1", "no column '--1'"),
        (ROWS, "²", "no column '²'"),
    ],
)
def test_a_label_column_that_is_not_there_is_named(table, text, label, said):
    with pytest.raises(UserError, match=said):
        whole(table(text), label=label)


def test_a_missing_file_is_named(tmp_path, table):
    with pytest.raises(UserError, match=r"no file .*none\.csv\. Check the path"):
        Csv(str(tmp_path / "none.csv")).read()
    with pytest.raises(UserError, match=r"no file .*none\.csv"):
        Csv(table(ROWS), test=str(tmp_path / "none.csv")).read()
    with pytest.raises(UserError, match="cannot be read as text"):
        Csv(str(tmp_path)).read()


def test_a_test_file_is_tested_on(table):
    test = table("50,60,b\n", "test.csv")
    raw = Csv(table(ROWS), test=test).read()
    assert (len(raw.train), raw.notes) == (4, ())
    np.testing.assert_array_equal(raw.test.values, [[50, 60]])
    np.testing.assert_array_equal(raw.test.labels, [1])


def test_a_test_file_with_another_class_or_width_is_refused(table):
    path = table(ROWS)
    with pytest.raises(UserError, match="Train has no points of 1 of its classes: z"):
        Csv(path, test=table("1,2,z\n", "test.csv")).load()
    with pytest.raises(UserError, match=r"Train points have shape \(2,\), test points \(3,\)"):
        Csv(path, test=table("1,2,3,a\n", "test.csv")).load()


def test_a_test_file_with_its_columns_in_another_order_is_refused(table):
    train, test = table(f"x,y,kind\n{ROWS}"), table(f"y,x,kind\n{ROWS}", "test.csv")
    said = r"columns of .*test\.csv are not those of .*mine\.csv: y, x, kind against x, y, kind"
    with pytest.raises(UserError, match=said):
        Csv(train, test=test).read()


LONG = "".join(f"{i},{i % 3}\n" for i in range(60))


def test_cut_takes_the_same_of_every_class_every_time(table):
    path = table(LONG)
    raws = [Csv(path, cut=0.25, seed=seed).read() for seed in (0, 0, 1)]
    for raw in raws:
        assert np.bincount(raw.test.labels).tolist() == [5, 5, 5]
        both = np.concatenate([raw.train.values, raw.test.values])[:, 0]
        np.testing.assert_array_equal(np.sort(both), np.arange(60))
        np.testing.assert_array_equal(raw.test.values[:, 0] % 3, raw.test.labels)
        np.testing.assert_array_equal(raw.test.values, raws[0].test.values)
        assert raw.notes == ("There is no test file: 0.25 of every class, 15 rows, is tested.",)


@pytest.mark.parametrize("cut", [0.0, 1.0, -1.0, float("nan")])
def test_a_cut_out_of_range_is_named(table, cut):
    with pytest.raises(UserError, match=rf"without a test file, cut={cut} must be .*test='FILE'"):
        Csv(table(LONG), cut=cut).read()


def test_a_cut_that_takes_nothing_is_named(table):
    with pytest.raises(UserError, match=r"cut=0\.01 takes no point.*raise it"):
        Csv(table(LONG), cut=0.01).read()


@pytest.mark.parametrize("header", [True, False])
def test_breast_cancer_comes_back(table, header):
    held = load_breast_cancer(as_frame=False)
    names = ",".join([*held.feature_names, "target"]) + "\n" if header else ""
    rows = "\n".join(
        ",".join(map(repr, [*x.tolist(), held.target_names[y].item()]))
        for x, y in zip(held.data, held.target, strict=True)
    ).replace("'", "")
    raw = whole(table(names + rows))
    assert raw.classes == ("benign", "malignant")
    np.testing.assert_array_equal(raw.train.values, held.data.astype(np.float32))
    np.testing.assert_array_equal(raw.train.labels, 1 - held.target)


SPARSE = """\
# made by hand
+1 1:0.5 3:-2e1  # a comment

-1 2:7
1.0 1:1 2:2 3:3
-1
"""


def test_sparse_rows_are_made_dense(table):
    raw = whole(table(SPARSE, "mine.libsvm"), Libsvm)
    expected = [[0.5, 0, -20], [0, 7, 0], [1, 2, 3], [0, 0, 0]]
    np.testing.assert_array_equal(raw.train.values, expected)
    assert raw.classes == ("-1", "1")
    np.testing.assert_array_equal(raw.train.labels, [1, 0, 1, 0])


def test_libsvm_is_read_as_scikit_learn_reads_it(tmp_path):
    random = np.random.default_rng(0)
    x = np.where(random.uniform(size=(40, 9)) < 0.4, random.normal(size=(40, 9)), 0)
    x[0, 8] = 1.5
    y = random.permutation(np.arange(40) % 12) - 3
    path = str(tmp_path / "mine.libsvm")
    dump_svmlight_file(x, y, path, zero_based=False)
    theirs, target = load_svmlight_file(path)
    raw = whole(path, Libsvm)
    np.testing.assert_array_equal(raw.train.values, theirs.toarray().astype(np.float32))
    np.testing.assert_array_equal(np.array(raw.classes, int)[raw.train.labels], target)
    assert raw.classes == tuple(map(str, range(-3, 9)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty: 'label index:value"),
        ("1\n2\n", "is empty"),
        ("1 1:2\n2 0:5\n", r"line 2 has an index below 1.*zero_based=False"),
        ("1 1:2\n2 -1:5\n", "line 2 has an index below 1"),
        ("1 1:2\n\n2 5\n", "line 3 is not of the form 'label index:value ...': '2 5'"),
        ("1 1:x\n", "line 1 is not of the form"),
        ("1 qid:3 1:2\n", "line 1 is not of the form"),
        ("1 1:2:3\n", "line 1 is not of the form"),
        ("1 4294967296:1\n", "1 rows of 4294967296 features: made dense.* 16 GiB. Choose fewer"),
    ],
)
def test_what_is_wrong_with_a_sparse_file_is_named(table, text, said):
    with pytest.raises(UserError, match=rf"(?s)mine\.libsvm,? .*{said}"):
        Libsvm(table(text, "mine.libsvm")).read()


@pytest.mark.parametrize("narrow", ["train", "test"])
def test_a_file_that_lacks_the_last_features_is_widened(table, narrow):
    wide, thin = table("1 1:1 4:4\n2 2:2\n", "wide"), table("1 1:9\n2 1:8\n", "thin")
    train, test = (thin, wide) if narrow == "train" else (wide, thin)
    raw = Libsvm(train, test=test).read()
    parts = {"train": raw.train, "test": raw.test}
    np.testing.assert_array_equal(parts.pop(narrow).values, [[9, 0, 0, 0], [8, 0, 0, 0]])
    (other,) = parts.values()
    np.testing.assert_array_equal(other.values, [[1, 0, 0, 4], [0, 2, 0, 0]])


def test_libsvm_without_a_test_file_cuts_one(table):
    text = "".join(f"{i % 2} 1:{i + 1}\n" for i in range(20))
    raw = Libsvm(table(text, "mine.libsvm"), cut=0.5).read()
    assert (len(raw.train), len(raw.test)) == (10, 10)
    assert np.bincount(raw.test.labels).tolist() == [5, 5]
    assert raw.notes == ("There is no test file: 0.5 of every class, 10 rows, is tested.",)

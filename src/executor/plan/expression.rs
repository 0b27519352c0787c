//! The expressions of a plan: pure, finite, and over JSON values.

use serde_json::Value;

/// An expression over JSON values. `undefined` is `null`; text is counted in code points.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum ValueExpr {
    /// A value.
    Literal(Value),
    /// The value of a variable.
    Variable(String),
    /// `object.name`: `null` where there is no such property, an error where there is no object.
    /// `length` of a list or a text is its length.
    Property {
        /// Where it is read.
        object: Box<ValueExpr>,
        /// Its name.
        name: String,
        /// `object?.name`: `null` where there is no object.
        optional: bool,
    },
    /// `object[index]`, as [`Property`](ValueExpr::Property) with a name that is worked out.
    Index {
        /// Where it is read.
        object: Box<ValueExpr>,
        /// The index or name.
        index: Box<ValueExpr>,
        /// `object?.[index]`.
        optional: bool,
    },
    /// `{ key: value, ...other }`.
    Object(Vec<ObjectField>),
    /// `[a, b]`.
    Array(Vec<ValueExpr>),
    /// A text of several parts.
    Template(Vec<ValueExpr>),
    /// An operator before its operand.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<ValueExpr>,
    },
    /// An operator between its operands.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: Box<ValueExpr>,
        /// The right operand; `&&`, `||` and `??` look at it only if they must.
        right: Box<ValueExpr>,
    },
    /// `condition ? then : otherwise`.
    Ternary {
        /// What decides.
        condition: Box<ValueExpr>,
        /// The value if it holds.
        then: Box<ValueExpr>,
        /// The value if it does not.
        otherwise: Box<ValueExpr>,
    },
    /// A method of a list, a text or a number.
    Method {
        /// What it is called on.
        receiver: Box<ValueExpr>,
        /// The method.
        name: MethodName,
        /// The arguments; one may be a [`Lambda`](ValueExpr::Lambda).
        arguments: Vec<ValueExpr>,
    },
    /// A function that stands alone.
    Builtin {
        /// The function.
        function: Builtin,
        /// The arguments.
        arguments: Vec<ValueExpr>,
    },
    /// `(a, b) => body`; only as an argument of a method that takes one.
    Lambda {
        /// The names of its parameters.
        parameters: Vec<String>,
        /// What it yields.
        body: Box<ValueExpr>,
    },
}

/// A part of an object.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectField {
    /// `key: value`.
    KeyValue {
        /// The key.
        key: String,
        /// The value.
        value: ValueExpr,
    },
    /// `...other`; later fields win.
    Spread(ValueExpr),
}

/// An operator before its operand.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `!`.
    Not,
    /// `-`.
    Neg,
    /// `+`: to a number.
    Plus,
    /// `typeof`.
    TypeOf,
}

/// An operator between its operands. Equality is strict: of one kind and of one value.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `+`: of numbers, or of texts if one is a text.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `===`.
    Eq,
    /// `!==`.
    NotEq,
    /// `<`, of two numbers or two texts.
    Lt,
    /// `<=`.
    Lte,
    /// `>`.
    Gt,
    /// `>=`.
    Gte,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `??`.
    Coalesce,
}

/// A method that does not change what it is called on.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodName {
    /// `map(item, index)`.
    Map,
    /// `filter(item, index)`.
    Filter,
    /// `find(item, index)`; `null` if there is none.
    Find,
    /// `some(item, index)`.
    Some,
    /// `every(item, index)`.
    Every,
    /// `flatMap(item, index)`.
    FlatMap,
    /// `reduce((so far, item), start)`.
    Reduce,
    /// `slice(start, end)` of a list or a text.
    Slice,
    /// `concat(other)` of a list or a text.
    Concat,
    /// `includes(item)` of a list or a text.
    Includes,
    /// `indexOf(item)` of a list or a text; -1 if it is not there.
    IndexOf,
    /// `join(separator)` of a list.
    Join,
    /// `split(separator)` of a text.
    Split,
    /// `toLowerCase()`.
    ToLowerCase,
    /// `toUpperCase()`.
    ToUpperCase,
    /// `trim()`.
    Trim,
    /// `startsWith(text)`.
    StartsWith,
    /// `endsWith(text)`.
    EndsWith,
    /// `replace(text, with)`: the first occurrence.
    Replace,
    /// `replaceAll(text, with)`.
    ReplaceAll,
    /// `toFixed(digits)`.
    ToFixed,
    /// `toString()`.
    ToText,
}

/// A function that stands alone.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `Number(value)`.
    Number,
    /// `String(value)`.
    String,
    /// `Boolean(value)`.
    Boolean,
    /// `parseInt(text)`, in base ten.
    ParseInt,
    /// `parseFloat(text)`.
    ParseFloat,
    /// `Math.abs(number)`.
    Abs,
    /// `Math.floor(number)`.
    Floor,
    /// `Math.ceil(number)`.
    Ceil,
    /// `Math.round(number)`.
    Round,
    /// `Math.min(numbers…)`.
    Min,
    /// `Math.max(numbers…)`.
    Max,
    /// `Object.keys(object)`.
    Keys,
    /// `Object.values(object)`.
    Values,
    /// `Object.entries(object)`.
    Entries,
    /// `Array.isArray(value)`.
    IsArray,
    /// `JSON.stringify(value)`.
    Stringify,
}

impl ValueExpr {
    /// A value.
    #[must_use]
    pub fn literal(value: impl Into<Value>) -> Self {
        Self::Literal(value.into())
    }

    /// The value of a variable.
    #[must_use]
    pub fn variable(name: impl Into<String>) -> Self {
        Self::Variable(name.into())
    }

    /// `object.name`.
    #[must_use]
    pub fn property(object: Self, name: impl Into<String>) -> Self {
        Self::Property {
            object: Box::new(object),
            name: name.into(),
            optional: false,
        }
    }

    /// `left operator right`.
    #[must_use]
    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        Self::Binary {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        }
    }

    /// `receiver.name(arguments…)`.
    #[must_use]
    pub fn method(receiver: Self, name: MethodName, arguments: Vec<Self>) -> Self {
        Self::Method {
            receiver: Box::new(receiver),
            name,
            arguments,
        }
    }

    /// `(parameters…) => body`.
    #[must_use]
    pub fn lambda<P: Into<String>>(parameters: impl IntoIterator<Item = P>, body: Self) -> Self {
        Self::Lambda {
            parameters: parameters.into_iter().map(Into::into).collect(),
            body: Box::new(body),
        }
    }
}
